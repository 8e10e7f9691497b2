// A status of the server as the screen colours and names it.

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

/** The words of `amelia status`: a completed run whose change was merged is merged. */
export const completedWord = (merged: object | null | undefined) =>
  merged ? 'Merged' : 'Completed';

/** The word on the badge of a run, where its colour does not say it: a merged run has the colour of a completed one. */
export const statusWord = (status: Status, merged: object | null | undefined) =>
  status === 'completed' ? completedWord(merged) : undefined;
