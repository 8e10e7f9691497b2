// Which runs have been completed since the last look.

import type { RunSummary } from '@/wire/RunSummary';
import type { Status } from '@/wire/Status';

/** Runs that were not completed when they were last seen. A run that was never seen is no news. */
export function completions(
  before: ReadonlyMap<string, Status>,
  runs: readonly RunSummary[],
): RunSummary[] {
  return runs.filter(({ id, status }) => {
    const last = before.get(id);
    return status === 'completed' && last !== undefined && last !== 'completed';
  });
}
