import type { Outcome } from '@/model/trace/trace-node';
import { StatusDot } from '@/ui/status-dot';
import type { StatusToken } from '@/ui/tones';

const WORDS: Record<Outcome, { word: string; status: StatusToken }> = {
  good: { word: 'Done', status: 'done' },
  bad: { word: 'Failed', status: 'failed' },
  open: { word: 'Running', status: 'running' },
  waits: { word: 'Waiting for you', status: 'needs-you' },
  stopped: { word: 'Stopped', status: 'cancelled' },
};

export const outcomeWord = (outcome: Outcome) => WORDS[outcome].word;

/** `isHidden`: something else shows it; only its word is there, for screen readers. */
type TraceStatusProps = { outcome: Outcome; isHidden: boolean };

/** How a part of the run ended. */
export function TraceStatus({ outcome, isHidden }: TraceStatusProps) {
  const { word, status } = WORDS[outcome];
  return (
    <span title={word} className="flex shrink-0">
      {!isHidden && <StatusDot status={status} className="size-1.5" />}
      <span className="sr-only">{word}: </span>
    </span>
  );
}
