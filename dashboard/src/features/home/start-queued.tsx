import { Play } from 'lucide-react';
import { useStartBatch } from '@/api/actions';
import { plural } from '@/lib/format';
import { toast } from '@/lib/toast';
import { Button } from '@/ui/button';
import type { BatchStarted } from '@/wire/BatchStarted';
import type { RunSummary } from '@/wire/RunSummary';

type StartQueuedProps = { runs: readonly RunSummary[] };

/** Starts every run that waits to be told. */
export function StartQueued({ runs }: StartQueuedProps) {
  const start = useStartBatch();
  const waiting = runs.filter((run) => run.why?.waiting_for === 'start');
  if (waiting.length === 0) return null;
  const count = waiting.length;
  const label = count === 1 ? 'Start the queued run' : `Start all ${count} queued runs`;
  return (
    <Button
      variant="ghost"
      size="sm"
      icon={<Play />}
      loading={start.isPending}
      className="-mr-1 ml-auto h-6 px-1.5"
      aria-label={label}
      title={label}
      onClick={() =>
        start.mutate(
          waiting.map((run) => run.id),
          { onSuccess: (done) => tell(done, waiting) },
        )
      }
    >
      {/* A narrow column has room for its own name only. */}
      {count === 1 ? (
        <span className="@max-[9rem]:hidden">Start</span>
      ) : (
        <span className="@max-[11rem]:hidden">Start all {count}</span>
      )}
    </Button>
  );
}

function tell({ started, errors }: BatchStarted, runs: readonly RunSummary[]): void {
  const [refused] = Object.entries(errors);
  if (!refused) {
    toast({ title: `${plural(started.length, 'run')} started`, tone: 'success' });
    return;
  }
  const [id, why] = refused;
  const title = runs.find((run) => run.id === id)?.title ?? id;
  const more = Object.keys(errors).length - 1;
  toast({
    title: `Not started: ${title}`,
    description: more > 0 ? `${why} (and ${more} more)` : (why ?? ''),
    tone: 'error',
  });
}
