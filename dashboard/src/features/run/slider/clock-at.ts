import { formatClock } from '@/lib/format';
import type { RunLog } from '@/model/run/run-log';

/** The time of an event; empty when the log has not come so far. */
export function clockAt(log: RunLog, seq: number): string {
  const event = log.events[log.indexAfter(seq) - 1];
  return event ? formatClock(event.at) : '';
}
