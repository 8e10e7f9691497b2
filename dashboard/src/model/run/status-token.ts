// A status of the server as the screen colours it.

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
