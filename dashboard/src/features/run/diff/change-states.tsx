import { FileDiff } from 'lucide-react';
import { ApiError } from '@/api/http';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';

type ChangeStatesProps = {
  query: { isPending: boolean; isRefetching: boolean; error: Error | null; refetch: () => unknown };
  /** Of one task only. */
  isPart: boolean;
  /** As of a moment that is over. */
  isPast?: boolean;
  size?: 'page' | 'panel';
};

/** What is shown in the place of a change: it is on its way, cannot be read, or is not there. */
export function ChangeStates({ query, isPart, isPast = false, size = 'panel' }: ChangeStatesProps) {
  if (query.error) {
    const { error } = query;
    return (
      <ErrorState
        size={size}
        title="Could not load changes"
        message={error.message}
        hint={error instanceof ApiError ? error.hint : null}
        onRetry={() => void query.refetch()}
        retrying={query.isRefetching}
      />
    );
  }
  if (query.isPending) return <ChangeLoading />;
  if (isPast)
    return (
      <EmptyState size={size} icon={<FileDiff />} title="No commits at this moment">
        No task had been committed at the selected moment.
      </EmptyState>
    );
  return (
    <EmptyState
      size={size}
      icon={<FileDiff />}
      title={isPart ? 'No changes in this task' : 'No changes yet'}
    >
      {isPart
        ? 'This task has no commit yet, or its commit is empty.'
        : 'Files appear here as soon as the Developer changes them.'}
    </EmptyState>
  );
}

export function ChangeLoading() {
  return (
    <div aria-busy className="flex flex-col gap-3">
      <span className="sr-only">Loading changes</span>
      <Skeleton className="h-9" />
      <Skeleton className="h-40" />
      <Skeleton className="h-64" />
    </div>
  );
}
