import { ArrowRight, Columns2, GitFork } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import type { RunSummary } from '@/wire/RunSummary';

type SuggestionsProps = {
  /** The side that is chosen, if one is. */
  chosen: RunSummary | undefined;
  pairs: readonly { a: RunSummary; b: RunSummary }[];
  runs: number;
};

/** Before two runs are chosen: what would be worth a look. */
export function Suggestions({ chosen, pairs, runs }: SuggestionsProps) {
  return (
    <EmptyState
      size="page"
      icon={<Columns2 />}
      title={chosen ? 'Choose another run' : 'Choose two runs'}
      action={
        runs === 0 ? (
          <Button asChild variant="primary">
            <Link to="/start">Start a run</Link>
          </Button>
        ) : undefined
      }
    >
      <p>
        {runs === 0
          ? 'No runs yet.'
          : 'See two runs side by side: their outcome, cost and changes. Useful for two attempts at the same issue, or a run and its fork.'}
      </p>
      {pairs.length > 0 && (
        <ul aria-label="Suggestions" className="mt-4 flex flex-col gap-1.5 text-left">
          {pairs.slice(0, 5).map(({ a, b }) => (
            <li key={`${a.id} ${b.id}`}>
              <Link
                to={`/compare?a=${a.id}&b=${b.id}`}
                className="flex items-center gap-2.5 rounded-md border border-line bg-panel px-3 py-2 text-fg shadow-low hover:bg-hover"
              >
                <GitFork aria-hidden className="size-4 shrink-0 text-subtle" />
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium">{b.title}</span>
                  <span className="block truncate text-xs text-muted">{reason(a, b)}</span>
                </span>
                <ArrowRight aria-hidden className="size-4 shrink-0 text-subtle" />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </EmptyState>
  );
}

function reason(a: RunSummary, b: RunSummary): string {
  const ids = `${a.short_id} and ${b.short_id}`;
  if (b.forked_from?.workflow_id === a.id || a.forked_from?.workflow_id === b.id) {
    return `a run and its fork: ${ids}`;
  }
  if (a.forked_from && a.forked_from.workflow_id === b.forked_from?.workflow_id) {
    return `two forks of one run: ${ids}`;
  }
  return `the same issue: ${ids}`;
}
