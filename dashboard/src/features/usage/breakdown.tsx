import { formatMoney, formatPercent, formatTokens } from '@/lib/format';
import {
  type Group,
  knownCost,
  type Measure,
  type Share,
  sharesOf,
} from '@/model/usage/usage-series';
import { Card } from '@/ui/card';
import { type Column, Table } from '@/ui/table';
import type { Usage } from '@/wire/Usage';
import { colourTokens, shownName } from './names';
import { Swatch } from './swatch';

type BreakdownProps = { usage: Usage; group: Group; measure: Measure };

const labels: Record<Group, string> = { model: 'Model', agent: 'Agent', profile: 'Profile' };

/** Who spent it, over the whole time. */
export function Breakdown({ usage, group, measure }: BreakdownProps) {
  const colour = colourTokens(usage, group, measure);
  const shares = sharesOf(usage, group, measure);
  // Without any price a share of the cost means nothing: then the bars are tokens.
  const byCost = measure === 'cost' && (usage.total.cost_usd ?? 0) > 0;
  const amount = ({ spent }: Share) => (byCost ? knownCost(spent) : spent.tokens);
  const all = byCost ? (usage.total.cost_usd ?? 0) : usage.total.tokens;
  const columns: Column<Share>[] = [
    {
      id: 'name',
      header: labels[group],
      className: 'max-w-52',
      cell: ({ name }) => (
        <span className="flex items-center gap-2">
          <Swatch colour={colour(name)} />
          <span className="truncate" title={name}>
            {shownName(name, group)}
          </span>
        </span>
      ),
    },
    {
      id: 'share',
      header: byCost ? 'Share of cost' : 'Share of tokens',
      className: 'w-2/5 max-sm:hidden',
      cell: (share) => <Bar colour={colour(share.name)} ratio={ratio(amount(share), all)} />,
    },
    {
      id: 'cost',
      header: 'Cost',
      numeric: true,
      className: 'whitespace-nowrap',
      cell: ({ spent }) => (
        <>
          {formatMoney(knownCost(spent))}
          {spent.unpriced_calls > 0 && spent.unpriced_calls < spent.calls && (
            <span className="text-muted" title={`${spent.unpriced_calls} calls with unknown price`}>
              {' '}
              + ?
            </span>
          )}
        </>
      ),
    },
    {
      id: 'tokens',
      header: 'Tokens',
      numeric: true,
      cell: ({ spent }) => formatTokens(spent.tokens),
    },
    {
      id: 'calls',
      header: 'Calls',
      numeric: true,
      className: 'max-sm:hidden',
      cell: ({ spent }) => spent.calls.toLocaleString('en'),
    },
  ];
  return (
    <Card flush title={`By ${group}`}>
      <Table
        caption={`Usage by ${group}`}
        columns={columns}
        rows={shares}
        rowKey={({ name }) => name}
        empty={<p className="px-4 py-6 text-sm text-muted">No model calls in this period.</p>}
      />
    </Card>
  );
}

const ratio = (part: number | null, all: number) => (part === null || all <= 0 ? null : part / all);

function Bar({ colour, ratio }: { colour: string; ratio: number | null }) {
  if (ratio === null) return <span className="text-xs text-muted">unknown</span>;
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="h-2 flex-1 overflow-hidden rounded-full bg-pressed/70">
        <span
          className="block h-full rounded-full"
          style={{ width: `${ratio * 100}%`, background: `var(${colour})` }}
        />
      </span>
      <span className="tabular w-9 text-right text-xs text-muted">{formatPercent(ratio)}</span>
    </span>
  );
}
