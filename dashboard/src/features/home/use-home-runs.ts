import { useDeferredValue, useMemo } from 'react';
import { useRuns } from '@/api/runs';
import { type Filter, fits, merged, statusesOf, wantsArchived } from '@/model/board/board';

/** Statuses of runs that may still need attention. */
const OPEN = 'pending,running,awaiting_approval,paused,failed';

/** The runs that a filter lets through: what the server found, and what has changed since. */
export function useHomeRuns(filter: Filter) {
  const text = useDeferredValue(filter.text.trim());
  // All unfinished runs are on the board, however old; of the rest the newest.
  const open = useRuns({ status: OPEN, limit: 500 });
  const recent = useRuns({});
  const asked = useRuns({
    ...(filter.status ? { status: statusesOf(filter.status).join(',') } : {}),
    ...(wantsArchived(filter) ? { archived: true } : {}),
    ...(filter.profile ? { profile: filter.profile } : {}),
    ...(filter.repository ? { worktree: filter.repository } : {}),
    ...(text ? { q: text } : {}),
  });
  const { status, profile, repository } = filter;

  const known = useMemo(() => {
    const all = (pages: typeof recent.data) => pages?.pages.flatMap((page) => page.items) ?? [];
    return merged(all(recent.data), all(open.data));
  }, [recent.data, open.data]);
  const runs = useMemo(() => {
    const found = asked.data?.pages.flatMap((page) => page.items) ?? [];
    return merged(found, known).filter((run) =>
      fits(run, { status, profile, repository, text: filter.text }),
    );
  }, [asked.data, known, status, profile, repository, filter.text]);

  return {
    runs,
    /** All that were read, without the filter. */
    known,
    isPending: recent.isPending,
    isSearching: asked.isFetching && asked.data === undefined,
    error: asked.data ? null : asked.error,
    isRetrying: asked.isFetching,
    retry: () => void asked.refetch(),
    hasMore: asked.hasNextPage,
    isLoadingMore: asked.isFetchingNextPage,
    loadMore: () => void asked.fetchNextPage(),
  };
}
