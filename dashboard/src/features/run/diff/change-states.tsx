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
        title="The change cannot be read"
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
      <EmptyState size={size} icon={<FileDiff />} title="Nothing was committed by then">
        At the moment that you look at, no task had come to its commit.
      </EmptyState>
    );
  return (
    <EmptyState
      size={size}
      icon={<FileDiff />}
      title={isPart ? 'This task changed no file' : 'No changes yet'}
    >
      {isPart
        ? 'Its commit is empty, or it has none yet.'
        : 'What the Developer changes appears here, file by file, as soon as there is something.'}
    </EmptyState>
  );
}

export function ChangeLoading() {
  return (
    <div aria-busy className="flex flex-col gap-3">
      <span className="sr-only">Reading the change</span>
      <Skeleton className="h-9" />
      <Skeleton className="h-40" />
      <Skeleton className="h-64" />
    </div>
  );
}
