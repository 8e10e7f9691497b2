import { useState } from 'react';
import { formatDuration, formatTokens, plural } from '@/lib/format';
import { shown } from '@/lib/visible';
import { type CostPoint, knownUsd } from '@/model/usage/cost';
import { Button } from '@/ui/button';
import { Money } from '@/ui/money';
import { type Column, Table } from '@/ui/table';
import { SeqLink } from '../seq-link';

type TurnTableProps = { run: string; points: CostPoint[] };

const AT_ONCE = 20;

/** What each turn used, the latest first. */
export function TurnTable({ run, points }: TurnTableProps) {
  const [most, setMost] = useState(AT_ONCE);
  // A narrow pane leaves out what is the easiest to do without; the cost stays.
  const columns: Column<CostPoint>[] = [
    {
      id: 'turn',
      header: 'Turn',
      cell: (point) => (
        <SeqLink
          run={run}
          seq={point.seq}
          className="font-mono text-xs text-accent-text hover:underline"
        >
          #{point.seq}
        </SeqLink>
      ),
    },
    { id: 'agent', header: 'Agent', cell: (point) => shown(point.agent) },
    {
      id: 'stage',
      header: 'Stage',
      className: 'hidden @lg:table-cell',
      cell: (point) => shown(point.stage ?? ''),
    },
    {
      id: 'model',
      header: 'Model',
      className: 'hidden @xl:table-cell',
      cell: (point) => (
        <span className="font-mono text-xs">{shown(point.model ?? 'not named')}</span>
      ),
    },
    {
      id: 'took',
      header: 'Duration',
      numeric: true,
      className: 'hidden @sm:table-cell',
      cell: (point) => (point.durationMs === null ? '' : formatDuration(point.durationMs)),
    },
    {
      id: 'tokens',
      header: 'Tokens',
      numeric: true,
      cell: (point) => formatTokens(point.spend.tokens),
    },
    {
      id: 'cost',
      header: 'Cost',
      numeric: true,
      className: 'whitespace-nowrap',
      cell: (point) => <Money usd={knownUsd(point.spend)} />,
    },
  ];
  return (
    <>
      <Table
        className="@container"
        caption="Usage by turn"
        columns={columns}
        rows={points.slice(-most).toReversed()}
        rowKey={(point) => String(point.seq)}
      />
      {points.length > most && (
        <div className="border-t border-line px-4 py-2">
          <Button size="sm" variant="ghost" onClick={() => setMost(most + 200)}>
            Show earlier turns ({plural(points.length - most, 'more', 'more')})
          </Button>
        </div>
      )}
    </>
  );
}
