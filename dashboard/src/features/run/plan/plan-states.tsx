import { ListChecks } from 'lucide-react';
import { ApiError } from '@/api/http';
import { hasPlan } from '@/model/plan/plan';
import { isFinal } from '@/model/run/run-state';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';
import type { RunDetail } from '@/wire/RunDetail';

type PlanStatesProps = {
  error: Error | null;
  isPending: boolean;
  onRetry: () => void;
  /** Whose plan it is, once that is known. */
  run: Pick<RunDetail, 'pipeline' | 'status'> | undefined;
  size?: 'page' | 'panel';
};

/** What is shown in the place of a plan. */
export function PlanStates({ error, isPending, onRetry, run, size = 'panel' }: PlanStatesProps) {
  if (error)
    return (
      <ErrorState
        size={size}
        title="Could not load the plan"
        message={error.message}
        hint={error instanceof ApiError ? error.hint : null}
        onRetry={onRetry}
      />
    );
  if (isPending) return <PlanLoading />;
  const isNever = run !== undefined && (!hasPlan(run) || isFinal(run.status));
  return (
    <EmptyState
      size={size}
      icon={<ListChecks />}
      title={isNever ? 'This run has no plan' : 'No plan yet'}
    >
      {run && !hasPlan(run)
        ? 'Only runs that implement an issue have a plan.'
        : isNever
          ? 'It ended before the Architect wrote one.'
          : 'The Architect has not written a plan yet. You can read, comment on and approve it here.'}
    </EmptyState>
  );
}

export function PlanLoading() {
  return (
    <div aria-busy className="flex max-w-180 flex-col gap-5 p-5">
      <span className="sr-only">Loading the plan</span>
      <Skeleton className="h-6 w-64" />
      <Skeleton lines={4} />
      <Skeleton lines={6} />
    </div>
  );
}
