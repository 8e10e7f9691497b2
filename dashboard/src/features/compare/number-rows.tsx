import type { ReactNode } from 'react';
import { formatDuration, formatMoney, formatTokens, plural } from '@/lib/format';
import { diffSize, growth } from '@/model/compare/compare';
import { knownCost } from '@/model/usage/usage-series';
import type { Compared } from '@/wire/Compared';
import type { ComparedRun } from '@/wire/ComparedRun';
import { Changes } from './changes';
import type { CompareRow } from './compare-table';
import { Growth } from './growth';

type Figure = (run: ComparedRun) => number | null;

const lines: Figure = ({ files }) => {
  if (!files) return null;
  const { added, removed } = diffSize(files);
  return added + removed;
};

/** What they took, and how much more the right one took than the left one. */
export function numberRows({ a, b }: Compared): CompareRow[] {
  const row = (id: string, label: string, of: Figure, show: (run: ComparedRun) => ReactNode) => ({
    id,
    label,
    isSame: of(a) === of(b),
    a: <span className="tabular">{show(a)}</span>,
    b: (
      <span className="tabular flex flex-wrap items-baseline gap-x-2">
        {show(b)}
        <Growth by={growth(of(a), of(b))} />
      </span>
    ),
  });
  return [
    row('cost', 'Cost', (run) => knownCost(run.usage), price),
    row(
      'tokens',
      'Tokens',
      (run) => run.usage.tokens,
      (run) => formatTokens(run.usage.tokens),
    ),
    row(
      'calls',
      'Model calls',
      (run) => run.usage.calls,
      (run) => run.usage.calls,
    ),
    row(
      'time',
      'Time',
      (run) => run.duration_ms,
      (run) => formatDuration(run.duration_ms),
    ),
    row(
      'active',
      'Active time',
      (run) => run.active_ms,
      (run) => formatDuration(run.active_ms),
    ),
    row('diff', 'Diff size', lines, size),
  ];
}

function price({ usage }: ComparedRun): ReactNode {
  const known = knownCost(usage);
  const isPart = usage.unpriced_calls > 0 && known !== null;
  return (
    <span className={known === null ? 'text-muted' : ''}>
      {formatMoney(known)}
      {isPart && (
        <span className="text-muted">
          {' '}
          plus {plural(usage.unpriced_calls, 'call')} with unknown price
        </span>
      )}
    </span>
  );
}

function size({ files }: ComparedRun): ReactNode {
  if (!files) return <span className="text-subtle">no worktree</span>;
  const { files: count, added, removed } = diffSize(files);
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      {plural(count, 'file')}
      {count > 0 && <Changes added={added} removed={removed} />}
    </span>
  );
}
