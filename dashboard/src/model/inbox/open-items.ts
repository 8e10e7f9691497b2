// Which of the things that need a person still do, when the log has come further than the server's last word.

import type { RunState } from '@/model/run/run-state';
import type { InboxItem } from './inbox';

export function openItems(items: readonly InboxItem[], runState: RunState): InboxItem[] {
  return items.filter((item) => {
    if (item.request !== null) return runState.waiting !== null;
    if (item.kind === 'interrupted') return runState.word === 'Interrupted';
    return runState.failure !== null || runState.tone === 'failed';
  });
}
