import type { ReactNode } from 'react';
import type { LogState } from '@/api/run-log';
import { isFinal } from '@/model/run/run-state';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';

/** `No checks yet`; of a run that has ended, `No checks`. */
export const noneOf = (what: string, { log }: LogState) =>
  isFinal(log.view.status) ? `No ${what}` : `No ${what} yet`;

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
