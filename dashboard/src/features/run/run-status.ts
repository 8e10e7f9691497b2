import type { StatusToken } from '@/ui/tones';
import type { Status } from '@/wire/Status';

const tokens: Record<Status, StatusToken> = {
  pending: 'queued',
  running: 'running',
  awaiting_approval: 'needs-you',
  paused: 'paused',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

export const statusToken = (status: Status): StatusToken => tokens[status];

/** It has ended: nobody hears what is said to it. */
export const isOver = (status: Status): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';
