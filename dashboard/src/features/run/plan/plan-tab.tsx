import { Maximize2 } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useRun } from '@/api/runs';
import { plural } from '@/lib/format';
import { shown } from '@/lib/visible';
import { planStateOf } from '@/model/plan/plan';
import { isFinal } from '@/model/run/run-state';
import { Button } from '@/ui/button';
import { Collapsible } from '@/ui/collapsible';
import { Markdown } from '@/ui/markdown';
import { Meter } from '@/ui/meter';
import type { TabProps } from '../tab';
import { useStateAt } from '../use-state-at';
import { PlanOutline } from './plan-outline';
import { PlanStates } from './plan-states';

/** The plan as it was then: what it is for, its tasks and how far they are, and the text. */
export default function PlanTab({ id, at }: TabProps) {
  const { state, error, retry } = useStateAt(id, at);
  const { markdown, plan, problems, tasksDone, isApproved } = useMemo(
    () => planStateOf(state),
    [state],
  );
  const run = useRun(id).data;
  const isOver = at === null && run !== undefined && isFinal(run.status);
  if (markdown === null)
    return <PlanStates error={error} isPending={state === undefined} onRetry={retry} run={run} />;
  const total = plan?.tasks.length ?? 0;
  return (
    <div className="flex flex-col gap-4 p-3 md:p-4">
      <div className="flex items-start gap-3">
        <p className="min-w-0 flex-1 text-sm text-pretty">{plan && shown(plan.goal)}</p>
        <Button asChild size="sm">
          <Link to={`/runs/${id}/plan`}>
            <Maximize2 aria-hidden />
            Review
          </Link>
        </Button>
      </div>
      {problems.length > 0 && (
        <ul className="rounded-lg bg-needs-you-soft px-3 py-2 text-sm text-needs-you">
          {problems.map((problem) => (
            <li key={problem}>{shown(problem)}</li>
          ))}
        </ul>
      )}
      {plan && (
        <section aria-label="Tasks">
          <div className="mb-1 flex items-center gap-3">
            <Meter
              label="Tasks done"
              tone="done"
              value={tasksDone}
              limit={total}
              className="max-w-60"
            />
            <span className="text-xs text-muted">
              {Math.min(tasksDone, total)} of {plural(total, 'task')} done
            </span>
          </div>
          <PlanOutline tasks={plan.tasks} done={isApproved ? tasksDone : null} isOver={isOver} />
        </section>
      )}
      <Collapsible title="Full plan" defaultOpen>
        <Markdown text={markdown} />
      </Collapsible>
    </div>
  );
}
