// What a person decided, in the words of the buttons that they had. The log knows only yes and no.

import type { LogEvent } from '@/wire/LogEvent';
import type { HumanReply } from '@/wire/log/HumanReply';
import type { HumanRequest } from '@/wire/log/HumanRequest';
import { oneLine } from './words';

/** To a plan, and nothing else. */
export const CHANGES_REQUESTED = 'Changes requested';

type Question = Pick<HumanRequest, 'kind' | 'context'>;

export function answerLabel(
  { action, grant }: Pick<HumanReply, 'action' | 'grant'>,
  asked: Question,
): string {
  if (action === 'timed_out') return 'No answer in time';
  const isYes = action !== 'reject';
  switch (asked.kind) {
    case 'approval':
      if (isPermission(asked)) return isYes ? allowedLabel(grant) : 'Denied';
      return isYes ? 'Approved' : CHANGES_REQUESTED;
    case 'question':
      return isYes ? 'Answered' : 'Left to the agent';
    case 'rounds':
      if (action === 'modify') return 'Accepted as is';
      break;
  }
  return isYes ? 'Continued' : 'Stopped';
}

function allowedLabel(grant: HumanReply['grant']): string {
  if (!grant) return 'Allowed';
  return grant.lasts === 'always'
    ? `Always allowed: ${grant.rule}`
    : `Allowed in this run: ${grant.rule}`;
}

function isPermission({ context }: Question): boolean {
  return typeof context === 'object' && context !== null && 'permission' in context;
}

/** A line of the log as a screen says it: an answer by what it answers. */
export function noteLabel(event: LogEvent, asked: HumanRequest | null): string {
  const { kind } = event;
  if (!asked || !('human' in kind) || !('replied' in kind.human)) return event.summary;
  const { message } = kind.human.replied;
  const words = answerLabel(kind.human.replied, asked);
  return message == null ? words : `${words}: ${oneLine(message)}`;
}
