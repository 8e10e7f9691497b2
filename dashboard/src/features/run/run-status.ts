import type { Status } from '@/wire/Status';

/** It has ended: no agent reads messages any more. */
export const isOver = (status: Status): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';
