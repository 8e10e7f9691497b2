import type { RunLog } from '@/model/run/run-log';
import { Meter } from '@/ui/meter';
import { Skeleton } from '@/ui/skeleton';

const FAR = 1_000;

/** Rows that rush by are no help, and drawing them would slow down the reading. */
export const isNear = (log: RunLog, end: number) => end - log.lastSeq <= FAR;

type LogLoadingProps = { read: number; end: number };

/** While a long log is on its way. */
export function LogLoading({ read, end }: LogLoadingProps) {
  return (
    <div aria-busy className="flex min-h-0 flex-1 flex-col gap-4 p-4">
      <div className="flex items-center gap-3 text-xs text-muted">
        <span className="tabular shrink-0">
          Reading {read.toLocaleString('en')} of {end.toLocaleString('en')} events
        </span>
        <Meter label="Events read" value={read} limit={end} tone="running" />
      </div>
      <Skeleton className="h-9" />
      <Skeleton lines={8} />
    </div>
  );
}
