// What a person is asked for before an action is done: words, a rule, a limit, or a yes.

import type { LimitName } from '@/wire/LimitName';
import { type Action, commandOf, ruleOf } from './actions';
import type { InboxItem } from './inbox';

/** What a form asks before the action is done. */
export function formOf(item: InboxItem, { id, label, wants, asks }: Action) {
  return {
    asks,
    label,
    wants,
    isDanger: id === 'cancel',
    proposed: proposedLimit(item),
    rule: ruleOf(item),
    unit: item.detail.type === 'limit' ? UNITS[item.detail.which] : '',
    commandOf: (words: string, limit: number | null) => commandOf(item, id, words, limit),
  };
}

const UNITS: Record<LimitName, string> = {
  usd: 'USD',
  tokens: 'tokens',
  calls: 'calls',
  wall_seconds: 's',
};

/** A limit to propose: twice what there was, or a good deal more than what is needed. */
export function proposedLimit(item: InboxItem): number | null {
  if (item.detail.type !== 'limit') return null;
  const { limit, wouldBe, which } = item.detail;
  const most = Math.max((limit ?? 0) * 2, (wouldBe ?? 0) * 2);
  if (most <= 0) return null;
  return which === 'usd' ? Math.ceil(most * 100) / 100 : roundUp(most);
}

/** Up to two leading figures: 1,090 becomes 1,100. */
function roundUp(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / unit) * unit;
}
