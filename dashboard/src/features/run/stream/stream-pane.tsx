import { type Ref, useDeferredValue } from 'react';
import type { RunLog } from '@/model/run/run-log';
import type { Intervention } from '@/wire/log/Intervention';
import type { RunDetail } from '@/wire/RunDetail';
import { Composer, TooLate } from './composer';
import { Stream, type StreamHandle } from './stream';

type StreamPaneProps = {
  ref: Ref<StreamHandle>;
  detail: RunDetail;
  log: RunLog;
  version: number;
  /** The moment that is shown; `null` is now. */
  at: number | null;
  isMoving: boolean;
  canSay: boolean;
  /** Its search is shown above it. */
  hasFilter: boolean;
  composerId: string;
  unheard: readonly Intervention[] | undefined;
};

const NO_MESSAGES: Intervention[] = [];

/** The stream of a run, and below it a field for messages to its agents. */
export function StreamPane(props: StreamPaneProps) {
  const { ref, detail, log, version, at, isMoving, canSay, hasFilter, composerId, unheard } = props;
  // The slider and the header move at once; the stream follows as fast as it can be drawn.
  const streamAt = useDeferredValue(at);
  // A failed run may be resumed, and its agents then read the messages that wait.
  const isDone = detail.status === 'completed' || detail.status === 'cancelled';
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <Stream
          ref={ref}
          log={log}
          version={version}
          end={detail.sequence}
          at={streamAt}
          isMoving={isMoving}
          hasFilter={hasFilter}
        />
      </div>
      {canSay && at === null && (
        <Composer run={detail.id} id={composerId} unheard={unheard ?? NO_MESSAGES} />
      )}
      {isDone && unheard && <TooLate unheard={unheard} />}
    </div>
  );
}
