import { useDeferredValue, useMemo } from 'react';
import { useRuns } from '@/api/runs';
import { type Filter, fits, merged, statusesOf } from '@/model/board';

/** The runs that a filter lets through: what the server found, and what has changed since. */
export function useHomeRuns(filter: Filter) {
  const text = useDeferredValue(filter.text.trim());
  const recent = useRuns({});
  const asked = useRuns({
    ...(filter.status ? { status: statusesOf(filter.status).join(',') } : {}),
    ...(filter.profile ? { profile: filter.profile } : {}),
    ...(filter.repository ? { worktree: filter.repository } : {}),
    ...(text ? { q: text } : {}),
  });
  const { status, profile, repository } = filter;

  const known = useMemo(
    () => recent.data?.pages.flatMap((page) => page.items) ?? [],
    [recent.data],
  );
  const runs = useMemo(() => {
    const found = asked.data?.pages.flatMap((page) => page.items) ?? [];
    return merged(found, known).filter((run) =>
      fits(run, { status, profile, repository, text: filter.text }),
    );
  }, [asked.data, known, status, profile, repository, filter.text]);

  return {
    runs,
    /** All that were read, whatever the filter. */
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
