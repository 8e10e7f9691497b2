// What a person decided, in the words of the buttons that they had. The log knows only yes and no.

import type { Event } from '@/wire/log/Event';
import type { HumanReply } from '@/wire/log/HumanReply';
import type { HumanRequest } from '@/wire/log/HumanRequest';
import { oneLine, summaryOf } from './summary';

type Asked = Pick<HumanRequest, 'kind' | 'context'>;

export function answerInWords({ action }: Pick<HumanReply, 'action'>, asked: Asked): string {
  if (action === 'timed_out') return 'No answer in time';
  const isYes = action !== 'reject';
  switch (asked.kind) {
    case 'approval':
      if (isPermission(asked)) return isYes ? 'Allowed' : 'Denied';
      return isYes ? 'Approved' : 'Changes requested';
    case 'question':
      return isYes ? 'Answered' : 'Left to the agent';
    case 'rounds':
      if (action === 'modify') return 'Accepted as is';
      break;
  }
  return isYes ? 'Continued' : 'Stopped';
}

function isPermission({ context }: Asked): boolean {
  return typeof context === 'object' && context !== null && 'permission' in context;
}

/** A line of the log as a screen says it: an answer by what it answers. */
export function noteInWords(event: Event, asked: HumanRequest | null): string {
  const { kind } = event;
  if (!asked || !('human' in kind) || !('replied' in kind.human)) return summaryOf(event);
  const { message } = kind.human.replied;
  const words = answerInWords(kind.human.replied, asked);
  return message == null ? words : `${words}: ${oneLine(message)}`;
}
