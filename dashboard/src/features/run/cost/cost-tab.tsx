import { Coins } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { useRun } from '@/api/runs';
import { type CostBy, costPoints, costRows } from '@/model/usage/cost';
import { Card } from '@/ui/card';
import { EmptyState } from '@/ui/empty-state';
import { Skeleton } from '@/ui/skeleton';
import { LogStates, noneOf } from '../log-states';
import type { TabProps } from '../tab';
import { useSlowLog } from '../use-slow-log';
import { BudgetMeters } from './budget-meters';
import { CostTable } from './cost-table';
import { TurnTable } from './turn-table';

const CostChart = lazy(() => import('./cost-chart'));

const parts: { by: CostBy; title: string }[] = [
  { by: 'agent', title: 'By agent' },
  { by: 'model', title: 'By model' },
  { by: 'stage', title: 'By stage' },
  { by: 'task', title: 'By task' },
];

/** What was spent, on what, and how it grew. */
export default function CostTab({ id, at }: TabProps) {
  const state = useSlowLog(id);
  const run = useRun(id);
  const { log, version } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log grows in place; its version tells.
  const points = useMemo(
    () => costPoints(log.facts.usages, log.transcript, at),
    [log, version, at],
  );
  const last = points.at(-1);
  if (!last)
    return (
      <LogStates state={state}>
        <EmptyState icon={<Coins />} title={noneOf('usage', state)}>
          Tokens and cost of every agent turn appear here.
        </EmptyState>
      </LogStates>
    );
  const view = at === null ? log.view : log.viewAt(at);
  return (
    <div className="@container flex flex-col gap-4 p-3 md:p-4">
      <BudgetMeters
        spend={last.total}
        budget={view.budget ?? run.data?.budget ?? null}
        activeMs={view.active_ms}
      />
      <Card title="Over time">
        <Suspense fallback={<Skeleton className="h-48" />}>
          <CostChart points={points} />
        </Suspense>
      </Card>
      <div className="grid gap-4 @4xl:grid-cols-2">
        {parts.map(({ by, title }) => (
          <Card key={by} title={title} flush>
            <CostTable caption={title} rows={costRows(points, by)} total={last.total} />
          </Card>
        ))}
      </div>
      <Card title="Turns" flush>
        <TurnTable run={id} points={points} />
      </Card>
    </div>
  );
}
