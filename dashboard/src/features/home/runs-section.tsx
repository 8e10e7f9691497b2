import { Archive, SearchX } from 'lucide-react';
import { ARCHIVED, isFiltering } from '@/model/board/board';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { LiveRegion } from '@/ui/live-region';
import { Board } from './board';
import { BoardSkeleton } from './board-skeleton';
import { Filters } from './filters';
import { RunTable } from './run-table';
import { StartQueued } from './start-queued';
import { useHomeQuery } from './use-home-query';
import { useHomeRuns } from './use-home-runs';

type RunsSectionProps = {
  /** Whether there are runs at all is not known yet. */
  isUnknown: boolean;
};

/** All runs: filtered, as a board or a list. */
export function RunsSection({ isUnknown }: RunsSectionProps) {
  const query = useHomeQuery();
  const { filter, view } = query;
  const found = useHomeRuns(filter);
  const { runs } = found;
  const isLoading = found.isPending || (runs.length === 0 && (found.isSearching || isUnknown));
  const isEmpty = runs.length === 0 && !isLoading && !found.error;
  return (
    <section aria-labelledby="runs" className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <div className="flex h-8 items-center gap-2 pr-2 max-md:w-full">
          <h2 id="runs" className="text-base font-semibold tracking-tight">
            Runs
          </h2>
          <span className="tabular text-xs text-subtle">
            {found.isPending || found.error ? '' : `${runs.length}${found.hasMore ? '+' : ''}`}
          </span>
          {view === 'list' && <StartQueued runs={runs} />}
        </div>
        <Filters
          filter={filter}
          view={view}
          runs={found.known}
          onFilter={query.setFilter}
          onClear={query.clear}
          onView={query.setView}
        />
      </div>
      <LiveRegion message={isFiltering(filter) ? `${runs.length} runs` : ''} />
      {isLoading && <BoardSkeleton />}
      {found.error && runs.length === 0 && (
        <ErrorState
          title="Could not load runs"
          message={found.error.message}
          onRetry={found.retry}
          retrying={found.isRetrying}
        />
      )}
      {isEmpty && !isFiltering(filter) && (
        <EmptyState
          icon={<Archive />}
          title="All runs are archived"
          action={
            <Button onClick={() => query.setFilter({ status: ARCHIVED })}>
              Show archived runs
            </Button>
          }
        >
          Choose the status “Archived” to see them. To put a run back on the board, open it and
          choose “Unarchive” in its menu.
        </EmptyState>
      )}
      {isEmpty && isFiltering(filter) && (
        <EmptyState
          icon={<SearchX />}
          title="No matching runs"
          action={<Button onClick={query.clear}>Clear filters</Button>}
        >
          No run matches all of these filters.
        </EmptyState>
      )}
      {runs.length > 0 && view === 'board' && <Board runs={runs} onShowAll={query.showAll} />}
      {runs.length > 0 && view === 'list' && (
        <RunTable runs={runs} order={query.order} onOrder={query.setOrder} />
      )}
      {found.hasMore && (
        <Button className="self-center" loading={found.isLoadingMore} onClick={found.loadMore}>
          Load older runs
        </Button>
      )}
    </section>
  );
}
