import { FileDiff } from 'lucide-react';
import { ApiError } from '@/api/http';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';
import type { Status } from '@/wire/Status';

type ChangeStatesProps = {
  query: { isPending: boolean; isRefetching: boolean; error: Error | null; refetch: () => unknown };
  /** Of one task only. */
  isPart: boolean;
  /** How the run stands; not known while it is read. */
  status?: Status | undefined;
  /** As of a moment that is over. */
  isPast?: boolean;
  size?: 'page' | 'panel';
};

/** What is shown in the place of a change: it is on its way, cannot be read, or is not there. */
export function ChangeStates(props: ChangeStatesProps) {
  const { query, isPart, status, isPast = false, size = 'panel' } = props;
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
  const { title, text } = isPart ? ofTask : ofRun(status);
  return (
    <EmptyState size={size} icon={<FileDiff />} title={title}>
      {text}
    </EmptyState>
  );
}

const ofTask = {
  title: 'No changes in this task',
  text: 'This task has no commit, or its commit is empty.',
};

function ofRun(status: Status | undefined) {
  switch (status) {
    case 'completed':
      return { title: 'No changes', text: 'This run is completed, and has no changed files.' };
    case 'failed':
      return { title: 'No changes', text: 'This run failed, and has no changed files.' };
    case 'cancelled':
      return { title: 'No changes', text: 'This run was cancelled, and has no changed files.' };
    default:
      return {
        title: 'No changes yet',
        text: 'Files appear here as soon as an agent changes them.',
      };
  }
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
