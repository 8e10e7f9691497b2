import type { StatusToken } from '@/ui/tones';
import type { Status } from '@/wire/Status';

/** A status of the server as the screen colours it. */
export const statusTokens: Record<Status, StatusToken> = {
  pending: 'queued',
  running: 'running',
  awaiting_approval: 'needs-you',
  paused: 'paused',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};
