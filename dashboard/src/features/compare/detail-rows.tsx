import { formatDuration, formatMoney, formatTokens, plural } from '@/lib/format';
import { paired, sameSpent } from '@/model/compare/compare';
import { knownCost } from '@/model/usage/usage-series';
import type { Compared } from '@/wire/Compared';
import type { RunMetrics } from '@/wire/RunMetrics';
import type { Spent } from '@/wire/Spent';
import type { Stage } from '@/wire/Stage';
import type { CompareRow } from './compare-table';

type Metrics = RunMetrics | undefined;

const absent = <span className="text-xs text-subtle">not visited</span>;

/** How often each stage was entered, and how long it took. */
export function stageRows({ a, b }: Compared, ofA: Metrics, ofB: Metrics): CompareRow[] {
  return paired(a.visits, b.visits, (x, y) => x.visits === y.visits).map((pair) => ({
    id: pair.name,
    label: pair.name,
    a: pair.a ? <Visited stage={pair.a} ms={ofA?.stages[pair.name]?.duration_ms} /> : absent,
    b: pair.b ? <Visited stage={pair.b} ms={ofB?.stages[pair.name]?.duration_ms} /> : absent,
    isSame: pair.isSame,
  }));
}

function Visited({ stage, ms }: { stage: Stage; ms: number | undefined }) {
  return (
    <span className="tabular inline-flex flex-wrap gap-x-2">
      {plural(stage.visits, 'visit')}
      {ms !== undefined && <span className="text-muted">{formatDuration(ms)}</span>}
      {stage.active && <span className="text-running">current</span>}
    </span>
  );
}

/** What each model did. */
export function modelRows(ofA: Metrics, ofB: Metrics): CompareRow[] {
  const pairs = paired(ofA?.usage_by_model ?? {}, ofB?.usage_by_model ?? {}, sameSpent);
  return pairs.map((pair) => ({
    id: pair.name,
    label: <span className="font-mono">{pair.name || 'unnamed model'}</span>,
    a: pair.a ? <Used spent={pair.a} /> : <Unused />,
    b: pair.b ? <Used spent={pair.b} /> : <Unused />,
    isSame: pair.isSame,
  }));
}

const Unused = () => <span className="text-xs text-subtle">not used</span>;

function Used({ spent }: { spent: Spent }) {
  return (
    <span className="tabular inline-flex flex-wrap gap-x-2">
      {plural(spent.calls, 'call')}
      <span className="text-muted">{formatTokens(spent.tokens)} tokens</span>
      <span className="text-muted">{formatMoney(knownCost(spent))}</span>
    </span>
  );
}
