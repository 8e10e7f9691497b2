// Which of the things that need a person still do, when the log has come further than the server's last word.

import type { RunState } from '@/model/run/run-state';
import type { InboxItem } from './inbox';

/** The run may have been answered, and wait for something else by now. Agents may ask while others work. */
const isWaiting = ({ waiting, tone, asked }: RunState, request: string) =>
  (waiting !== null || tone === 'running') && asked.includes(request);

export function openItems(items: readonly InboxItem[], runState: RunState): InboxItem[] {
  return items.filter((item) => {
    if (item.request !== null) return isWaiting(runState, item.request);
    if (item.kind === 'interrupted') return runState.word === 'Interrupted';
    return runState.failure !== null || runState.tone === 'failed';
  });
}
