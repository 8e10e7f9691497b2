// What a completed run has come to, as the page shows it first.

import type { RunOutcome } from '@/wire/RunOutcome';

/** `2 tasks`, `1 deferred finding`, `$0.1200`: what there is. */
export function resultFacts(
  { tasks, deferred, cost_usd }: RunOutcome,
  money: (usd: number) => string,
): string[] {
  return [
    ...counted(tasks.length, 'task'),
    ...counted(deferred.length, 'deferred finding'),
    ...(cost_usd === null ? [] : [money(cost_usd)]),
  ];
}

const counted = (count: number, one: string) =>
  count === 0 ? [] : [`${count} ${one}${count === 1 ? '' : 's'}`];

/** The first line of the summary, without the marks of Markdown in front of it. */
export function resultTitle({ summary }: RunOutcome): string | null {
  const line = summary?.split('\n').find((text) => text.trim() !== '');
  return line?.replace(/^[#>*\s-]+/, '').trim() || null;
}
