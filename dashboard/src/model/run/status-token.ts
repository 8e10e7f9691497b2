// A status of the server as the screen colours and names it.

import type { MergedShown } from '@/wire/MergedShown';
import type { Status } from '@/wire/Status';

const tokens = {
  pending: 'queued',
  running: 'running',
  awaiting_approval: 'needs-you',
  paused: 'paused',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<Status, string>;

export const statusToken = (status: Status) => tokens[status];

/** A merge, and how it was undone as far as that is known. */
type Merge = Partial<Pick<MergedShown, 'undone'>> | null | undefined;

/** The words of `amelia status`: a completed run whose change was merged is merged, unless that was undone. */
export function completedWord(merged: Merge) {
  if (!merged) return 'Completed';
  return merged.undone ? 'Merge undone' : 'Merged';
}

/** The word on the badge of a run, where its colour does not say it: a merged run has the colour of a completed one. */
export const statusWord = (status: Status, merged: Merge) =>
  status === 'completed' ? completedWord(merged) : undefined;
