// How much there was of everything that the tabs of a run show.

import type { RunLog } from './run-log';

/** More are drawn as "999+". */
const MAX_COUNT = 1_000;

export type TabCounts = { checks: number; review: number; events: number };

/** As of `at`; `null` is now. */
export function countsAt(log: RunLog, at: number | null): TabCounts {
  const { checks, reviews } = log.facts;
  const until = (facts: readonly { seq: number }[]) =>
    at === null ? facts.length : facts.filter(({ seq }) => seq <= at).length;
  const events = at === null ? log.events.length : log.indexAfter(at);
  return { checks: until(checks), review: until(reviews), events: Math.min(events, MAX_COUNT) };
}
