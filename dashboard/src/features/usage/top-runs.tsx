import { Link } from 'react-router';
import { formatMoney, formatTokens } from '@/lib/format';
import { knownCost } from '@/model/usage/usage-series';
import { Card } from '@/ui/card';
import { type Column, Table } from '@/ui/table';
import { TimeAgo } from '@/ui/time-ago';
import type { RunUsage } from '@/wire/RunUsage';

type TopRunsProps = { runs: readonly RunUsage[] };

const most = 10;

const columns: Column<RunUsage>[] = [
  {
    id: 'run',
    header: 'Run',
    className: 'w-full max-w-0',
    cell: (run) => (
      <Link
        to={`/runs/${run.id}`}
        title={run.title}
        className="block truncate rounded-sm font-medium underline-offset-3 hover:underline"
      >
        {run.title || run.id}
      </Link>
    ),
  },
  {
    id: 'created',
    header: 'Created',
    className: 'whitespace-nowrap text-muted max-sm:hidden',
    cell: (run) => <TimeAgo at={run.created_at} />,
  },
  {
    id: 'cost',
    header: 'Cost',
    numeric: true,
    className: 'whitespace-nowrap',
    cell: (run) => formatMoney(knownCost(run.usage)),
  },
  { id: 'tokens', header: 'Tokens', numeric: true, cell: (run) => formatTokens(run.usage.tokens) },
];

/** Most expensive runs; those without a price by their tokens. */
export function TopRuns({ runs }: TopRunsProps) {
  const top = runs
    .toSorted(
      (a, b) =>
        (knownCost(b.usage) ?? 0) - (knownCost(a.usage) ?? 0) || b.usage.tokens - a.usage.tokens,
    )
    .slice(0, most);
  return (
    <Card flush title="Most expensive runs">
      <Table
        caption="Most expensive runs"
        columns={columns}
        rows={top}
        rowKey={(run) => run.id}
        empty={<p className="px-4 py-6 text-sm text-muted">No run has called a model yet.</p>}
      />
    </Card>
  );
}
