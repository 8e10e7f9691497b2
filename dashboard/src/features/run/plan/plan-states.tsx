import { ListChecks } from 'lucide-react';
import { ApiError } from '@/api/http';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';

type PlanStatesProps = {
  error: Error | null;
  isPending: boolean;
  onRetry: () => void;
  size?: 'page' | 'panel';
};

/** What is shown in the place of a plan. */
export function PlanStates({ error, isPending, onRetry, size = 'panel' }: PlanStatesProps) {
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
  return (
    <EmptyState size={size} icon={<ListChecks />} title="No plan yet">
      The Architect has not written a plan yet. You can read, comment on and approve it here.
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
