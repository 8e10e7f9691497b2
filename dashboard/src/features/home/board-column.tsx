import { cn } from '@/lib/cn';
import type { ColumnId } from '@/model/board/board';
import { Button } from '@/ui/button';
import type { RunSummary } from '@/wire/RunSummary';
import { RunCard } from './run-card';
import { StartQueued } from './start-queued';

type BoardColumnProps = {
  id: ColumnId;
  name: string;
  runs: RunSummary[];
  onShowAll: (status: string) => void;
};

/** What has ended is shown as far as it is news. */
const RECENT = 8;

export function BoardColumn({ id, name, runs, onShowAll }: BoardColumnProps) {
  const hasEnded = id === 'done' || id === 'stopped';
  const shown = hasEnded ? runs.slice(0, RECENT) : runs;
  return (
    <section
      aria-label={`${name}, ${runs.length}`}
      className={cn(
        '@container min-w-0 flex-col md:flex md:rounded-lg md:bg-sunken/70 md:p-1.5',
        runs.length === 0 ? 'hidden' : 'flex',
      )}
    >
      <header className="flex h-7 items-center gap-1.5 px-1.5">
        <h3
          className={cn(
            'min-w-0 truncate text-xs font-semibold',
            runs.length === 0 ? 'text-subtle' : 'text-muted',
          )}
        >
          {name}
        </h3>
        <span className="tabular text-xs text-subtle">{runs.length}</span>
        {id === 'queued' && <StartQueued runs={runs} />}
      </header>
      <ul className="mt-1 flex flex-col gap-1.5">
        {shown.map((run) => (
          <li key={run.id}>
            <RunCard run={run} />
          </li>
        ))}
      </ul>
      {runs.length > shown.length && (
        <Button
          variant="ghost"
          size="sm"
          className="mt-1.5 w-full"
          onClick={() => onShowAll(id === 'done' ? 'done' : '')}
        >
          {runs.length - shown.length} more
        </Button>
      )}
    </section>
  );
}
