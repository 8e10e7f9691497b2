// Which of the things that need a person still do, when the log has come further than the server's last word.

import type { Standing } from '@/model/run/standing';
import type { InboxItem } from './inbox';

export function askedAt(items: readonly InboxItem[], standing: Standing): InboxItem[] {
  return items.filter((item) => {
    if (item.request !== null) return standing.waiting !== null;
    return item.kind === 'failed' ? standing.tone === 'failed' : standing.word === 'Interrupted';
  });
}
