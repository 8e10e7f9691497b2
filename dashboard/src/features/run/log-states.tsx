import type { ReactNode } from 'react';
import type { LogState } from '@/api/run-log';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';

type LogStatesProps = {
  state: LogState;
  /** There is a log, and it has nothing to show here. */
  children: ReactNode;
};

/** While a log is on its way, or when it cannot be read. */
export function LogStates({ state, children }: LogStatesProps) {
  if (state.log.lastSeq > 0) return children;
  if (state.connection === 'lost')
    return (
      <ErrorState
        title="Could not load the log"
        message="The connection to the server was lost. Reconnecting automatically."
      />
    );
  return (
    <div aria-busy className="flex flex-col gap-3 p-4">
      <span className="sr-only">Loading the log</span>
      <Skeleton className="h-6 w-48" />
      <Skeleton className="h-28" />
    </div>
  );
}
