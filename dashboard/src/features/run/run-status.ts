import type { Status } from '@/wire/Status';

/** It has ended: nobody hears what is said to it. */
export const isOver = (status: Status): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';
