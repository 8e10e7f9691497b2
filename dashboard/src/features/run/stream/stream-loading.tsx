import { Meter } from '@/ui/meter';

type StreamLoadingProps = { read: number; end: number };

/** While a long log is on its way. */
export function StreamLoading({ read, end }: StreamLoadingProps) {
  return (
    <div className="flex h-7 shrink-0 items-center gap-3 border-b border-line px-3 text-2xs text-muted">
      <span className="tabular shrink-0">
        Reading {read.toLocaleString('en')} of {end.toLocaleString('en')} events
      </span>
      <Meter label="Events read" value={read} limit={end} tone="running" />
    </div>
  );
}
