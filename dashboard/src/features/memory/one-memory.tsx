import { Link } from 'react-router';
import { ApiError } from '@/api/http';
import { useMemory } from '@/api/memory';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';
import { MemoryRow } from './memory-row';

type OneMemoryProps = { id: string };

/** One entry, opened: that of a link. */
export function OneMemory({ id }: OneMemoryProps) {
  const { data, error, isPending, isFetching, refetch } = useMemory(id);
  return (
    <div className="flex flex-col gap-3">
      <Link to="/memory" className="self-start text-sm underline underline-offset-3">
        All entries
      </Link>
      {isPending && (
        <div role="status" aria-label="Reading the entry">
          <Skeleton className="h-40" />
        </div>
      )}
      {error && (
        <ErrorState
          title={`Could not read the entry ${id}`}
          message={error.message}
          {...(error instanceof ApiError && error.hint ? { hint: error.hint } : {})}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {data && (
        <ul aria-label="Entries" className="flex flex-col">
          <MemoryRow key={data.memory_id} entry={data} defaultOpen />
        </ul>
      )}
    </div>
  );
}
