// What a person was asked and decided, in the words of the screen. The log knows only who asked, and yes and no.

import type { LogEvent } from '@/wire/LogEvent';
import type { HumanEvent } from '@/wire/log/HumanEvent';
import type { HumanKind } from '@/wire/log/HumanKind';
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
      if (isYes) return 'Answered';
      return isElicitation(asked) ? 'Declined' : 'Left to the agent';
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

const hasPart = ({ context }: Question, name: string) =>
  typeof context === 'object' && context !== null && name in context;

const isPermission = (asked: Question) => hasPart(asked, 'permission');

/** The question of an MCP server. */
export const isElicitation = (asked: Question) => hasPart(asked, 'elicitation');

const STOPS: Record<HumanKind, string> = {
  approval: 'waiting for your approval',
  question: 'waiting for your answer',
  escalation: 'waiting for your decision',
  rounds: 'waiting for your decision',
  budget: 'waiting: a budget is reached',
  quota: 'waiting: a quota is used up',
  step_limit: 'waiting: the step limit is reached',
  breakpoint: 'stopped at a breakpoint',
  step: 'stopped after one step',
  pause: 'paused',
};

/** A line of the log as a screen says it: an answer by what it answers, a question without the name of the program. */
export function noteLabel(event: LogEvent, asked: HumanRequest | null): string {
  const { kind } = event;
  if ('human' in kind) return humanLabel(kind.human, asked) ?? event.summary;
  if ('run' in kind && typeof kind.run === 'object' && 'paused' in kind.run)
    return STOPS[kind.run.paused.reason];
  // A turn that only calls tools.
  if ('agent' in kind && 'said' in kind.agent && event.summary === '') return '(no text)';
  return event.summary;
}

function humanLabel(event: HumanEvent, asked: HumanRequest | null): string | null {
  if ('requested' in event) return questionLabel(event.requested);
  if (!asked || !('replied' in event)) return null;
  const { message } = event.replied;
  const words = answerLabel(event.replied, asked);
  const said = message ?? (isElicitation(asked) ? fieldsIn(event.replied.updates) : null);
  return said == null ? words : `${words}: ${oneLine(said)}`;
}

/** What was filled in, as it would be typed: `name=Ada; age=36`. */
function fieldsIn(updates: HumanReply['updates']): string | null {
  if (typeof updates !== 'object' || updates === null) return null;
  const fields = Object.entries(updates).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return fields.length > 0 ? fields.join('; ') : null;
}

function questionLabel(request: HumanRequest): string {
  const prompt = oneLine(request.prompt);
  // A permission says itself who wants it.
  return request.by === 'system' || isPermission(request)
    ? prompt
    : `${request.by} asks: ${prompt}`;
}
