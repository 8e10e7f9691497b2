import { Meter } from '@/ui/meter';
import { Skeleton } from '@/ui/skeleton';

type StreamLoadingProps = { read: number; end: number };

/** While a long log is on its way. */
export function StreamLoading({ read, end }: StreamLoadingProps) {
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
