import type { RunState } from '@/model/run/run-state';
import type { RunDetail } from '@/wire/RunDetail';

type Reason = { title: string; message: string };

/** Why it has not begun; nothing when it has. */
export function notStarted({ why }: RunDetail, { tone }: RunState): Reason | null {
  if (tone !== 'queued') return null;
  if (why?.waiting_for === 'start')
    return { title: 'Not started.', message: 'Start it when you are ready.' };
  if (why?.waiting_for === 'turn')
    return { title: 'Queued.', message: 'It starts automatically when a slot is free.' };
  return null;
}
