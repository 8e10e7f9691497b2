// When a run stood still for a person. A stage that asks is entered the while, and works no time at all.

import type { LogEvent } from '@/wire/LogEvent';
import { millis } from './event';

/** What a person does to a run that waits, and it still waits. */
const WHILE_WAITING = ['limited', 'steered', 'state_edited', 'team_replaced'];

export type Wait = { fromSeq: number; from: number; toSeq: number | null; to: number | null };

/** From a moment on; no end while it lasts. */
export type TimeRange = { from: number; to: number | null };

/** Takes an event of the run itself. */
export function addWait(waits: Wait[], event: LogEvent): void {
  if (!('run' in event.kind) || typeof event.kind.run !== 'object') return;
  const run = event.kind.run;
  const last = waits.at(-1);
  const isWaiting = last !== undefined && last.toSeq === null;
  if ('paused' in run) {
    if (isWaiting) return;
    waits.push({ fromSeq: event.seq, from: millis(event.at), toSeq: null, to: null });
  } else if (isWaiting && !WHILE_WAITING.some((kind) => kind in run)) {
    last.toSeq = event.seq;
    last.to = millis(event.at);
  }
}

/** The parts of a stretch in which a person was waited for, as of the event `seq`, which was at `then`. */
export function waitsIn(
  waits: readonly Wait[],
  within: TimeRange,
  seq = Number.POSITIVE_INFINITY,
  then: number | null = null,
): TimeRange[] {
  return waits.flatMap((wait) => {
    if (wait.fromSeq > seq) return [];
    const end = wait.toSeq !== null && wait.toSeq <= seq ? wait.to : then;
    const from = Math.max(wait.from, within.from);
    const to = earlier(end, within.to);
    return to === null || to > from ? [{ from, to }] : [];
  });
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

export const lengthOf = (stretches: readonly TimeRange[], now: number) =>
  stretches.reduce((sum, { from, to }) => sum + Math.max(0, (to ?? now) - from), 0);
