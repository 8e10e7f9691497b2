import type { Standing } from '@/model/run/standing';
import type { RunDetail } from '@/wire/RunDetail';

type Words = { title: string; message: string };

/** Why it has not begun; nothing when it has. */
export function notStarted({ why }: RunDetail, { tone }: Standing): Words | null {
  if (tone !== 'queued') return null;
  if (why?.waiting_for === 'start')
    return { title: 'Not started.', message: 'Start it when you are ready.' };
  if (why?.waiting_for === 'turn')
    return { title: 'Queued.', message: 'It starts automatically when a slot is free.' };
  return null;
}
