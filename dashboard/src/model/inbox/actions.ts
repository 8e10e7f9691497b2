// What a person can do about each thing that needs them: the key, what it has to be told, what is sent, and the command
// that does the same in a terminal.

import { cli } from '@/model/cli/cli';
import type { GrantChoice } from '@/wire/GrantChoice';
import type { LimitName } from '@/wire/LimitName';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import type { InboxItem } from './inbox';
import type { JsonObject } from './json';
import { ruleQuestion, ruleShape } from './permission-rule';

export type ActionId =
  | 'approve'
  | 'allow_run'
  | 'allow_always'
  | 'reject'
  | 'modify'
  | 'answer'
  | 'decline'
  | 'go_on'
  | 'accept'
  | 'checks'
  | 'raise'
  | 'remove_limit'
  | 'step'
  | 'continue'
  | 'cancel'
  | 'plan'
  | 'diff'
  | 'open'
  | 'dismiss';

/** What is asked for before it is done. */
export type InputKind =
  | 'nothing'
  | 'words'
  | 'words_or_nothing'
  | 'rule'
  | 'limit'
  | 'sure'
  | 'fields';

export type Action = {
  id: ActionId;
  label: string;
  key: string | null;
  wants: InputKind;
  /** Above the field: what the words are for, or what is to be confirmed. */
  asks: string;
  variant: 'primary' | 'secondary' | 'ghost' | 'danger-quiet';
};

/** What is sent to the server. */
export type ActionRequest =
  | {
      type: 'respond';
      request: string;
      response: 'approved' | 'rejected' | 'modified';
      message?: string;
      data?: JsonValue;
      grant?: GrantChoice;
    }
  | { type: 'checks'; request: string }
  | { type: 'resume'; budget?: { [kind in LimitName]?: number }; off?: LimitName[] }
  | { type: 'step' }
  | { type: 'continue' }
  | { type: 'cancel' };

type ItemWithoutActions = Omit<InboxItem, 'actions'>;
type ActionWithoutVariant = Omit<Action, 'variant'>;

const action = (
  id: ActionId,
  label: string,
  key: string | null = null,
  wants: InputKind = 'nothing',
  asks = '',
): ActionWithoutVariant => ({ id, label, key, wants, asks });

const OPEN = action('open', 'Open run', 'o');
const DIFF = action('diff', 'Changes', 'd');
const DISMISS = action('dismiss', 'Dismiss', 'x');
const CANCEL = action(
  'cancel',
  'Cancel run',
  'r',
  'sure',
  'Cancel this run permanently? Its work so far is kept.',
);

const WITHOUT_LIMIT =
  'Resume without a limit in USD? To keep the limit, set a price for the model, then resume.';

/** A question of a node: to continue is an answer to it. */
const ANSWERED: ReadonlySet<InboxItem['kind']> = new Set(['conflict', 'rounds', 'decision']);

/** They show more, and decide nothing. */
const QUIET: ReadonlySet<ActionId> = new Set(['open', 'diff', 'dismiss', 'plan']);

export function actionsFor(item: ItemWithoutActions): Action[] {
  return listed(item).map((one, index) => ({ ...one, variant: variantOf(one, index) }));
}

function variantOf({ id }: ActionWithoutVariant, index: number): Action['variant'] {
  if (index === 0) return 'primary';
  if (id === 'cancel') return 'danger-quiet';
  return QUIET.has(id) ? 'ghost' : 'secondary';
}

function listed(item: ItemWithoutActions): ActionWithoutVariant[] {
  const { detail } = item;
  switch (item.kind) {
    case 'plan': {
      const feedback = 'What should change? The Architect writes a new plan from your feedback.';
      const reject = action('reject', 'Request changes', 'r', 'words', feedback);
      // Saying yes to a plan without a task only asks again.
      const canApprove = detail.type !== 'plan' || detail.tasks > 0;
      const isSound = detail.type !== 'plan' || detail.problems.length === 0;
      const approve = action('approve', isSound ? 'Approve' : 'Approve anyway', 'a');
      const both = isSound ? [approve, reject] : [reject, approve];
      return [...(canApprove ? both : [reject]), action('plan', 'Read and edit', 'e'), OPEN];
    }
    case 'approval':
      if (detail.type === 'tie')
        return [action('approve', 'Accept', 'a'), action('reject', 'Reject', 'r'), OPEN];
      return [
        action('approve', 'Approve', 'a'),
        action('modify', 'Request changes', 'm', 'words', 'What should change?'),
        action('reject', 'Reject', 'r', 'words_or_nothing', 'Why? (optional)'),
        OPEN,
      ];
    case 'permission': {
      const instead = 'What should it do instead? (optional)';
      const rule = (where: string) => ruleQuestion(item.agent, detail, where);
      const later = 'in this run and in later runs with this profile';
      const forRun = action(
        'allow_run',
        'Allow in this run',
        't',
        'rule',
        rule('until this run ends'),
      );
      const always = action('allow_always', 'Always allow', 'y', 'rule', rule(later));
      const isKept = detail.type === 'call' && detail.canAllowAlways;
      const lasting = isKept ? [forRun, always] : [forRun];
      return [
        action('approve', 'Allow once', 'a'),
        ...(ruleShape(detail) === 'none' ? [] : lasting),
        action('reject', 'Deny', 'r', 'words_or_nothing', instead),
        DIFF,
        OPEN,
      ];
    }
    case 'question':
      // Nothing but the server that asks waits for it, and it hears a no.
      if (detail.type === 'elicitation') {
        const wants = detail.fields === null ? 'words' : 'fields';
        return [
          action('answer', 'Answer', 'a', wants, 'Your answer'),
          action('decline', 'Decline', 'r'),
          OPEN,
        ];
      }
      return [
        action('answer', 'Answer', 'a', 'words', 'Your answer'),
        action('decline', 'Let the agent decide', 'r'),
        OPEN,
      ];
    case 'help':
      return [
        action('answer', 'Answer', 'a', 'words', 'How should the agent continue?'),
        action('decline', 'Let the agent decide', 'r'),
        OPEN,
      ];
    case 'decision':
      return [
        action('go_on', 'Continue', 'a', 'words_or_nothing', 'Message to the team (optional)'),
        action('accept', 'Accept as is', 'y'),
        CANCEL,
        DIFF,
        OPEN,
      ];
    case 'conflict':
    case 'rounds': {
      const canAccept = 'canAccept' in detail ? detail.canAccept : detail.type === 'conflict';
      const aboutChecks = detail.type === 'output' && detail.aboutChecks;
      const again = item.kind === 'conflict' ? 'Try again' : 'Continue';
      const take = detail.type === 'conflict' ? 'Do the task again' : 'Accept as is';
      const words = 'Message to the agent (optional)';
      return [
        // A refused commit, or an Evaluator that decided nothing: no agent would read a message.
        item.kind === 'rounds' || detail.type === 'conflict'
          ? action('go_on', again, 'a', 'words_or_nothing', words)
          : action('go_on', again, 'a'),
        ...(canAccept ? [action('accept', take, 'y')] : []),
        ...(aboutChecks ? [action('checks', 'Use the checks of the profile', 'c')] : []),
        CANCEL,
        DIFF,
        OPEN,
      ];
    }
    case 'budget': {
      const again = action('go_on', 'Resume', 'a');
      if (detail.type !== 'limit' || detail.isElsewhere) return [again, CANCEL, OPEN];
      const first = detail.isUnpriced
        ? [again, action('remove_limit', 'Remove limit', 'y', 'sure', WITHOUT_LIMIT)]
        : [action('raise', 'Raise and resume', 'a', 'limit', 'The new limit')];
      return [...first, CANCEL, OPEN];
    }
    case 'step':
      return [
        action('step', 'Next step', 'a'),
        action('continue', 'Leave step mode', 'y'),
        CANCEL,
        OPEN,
      ];
    case 'quota':
    case 'pause':
    case 'breakpoint':
    case 'step_limit':
      return [action('go_on', item.kind === 'quota' ? 'Try now' : 'Resume', 'a'), CANCEL, OPEN];
    case 'failed':
      return [action('go_on', 'Retry', 'a'), DIFF, OPEN, DISMISS];
    case 'key':
      return [action('go_on', 'Resume', 'a'), DIFF, OPEN, DISMISS];
    case 'interrupted':
      return [action('go_on', 'Resume', 'a'), CANCEL, OPEN, DISMISS];
  }
}

/** `null`: nothing for the server; the screen does it. */
export function requestOf(
  item: InboxItem,
  id: ActionId,
  words = '',
  limit: number | null = null,
  fields: JsonObject | null = null,
): ActionRequest | null {
  const { request } = item;
  const message = words.trim() === '' ? {} : { message: words.trim() };
  switch (id) {
    case 'answer':
      if (request && fields)
        return { type: 'respond', request, response: 'modified', data: fields };
      return request ? { type: 'respond', request, response: 'approved', ...message } : null;
    case 'approve':
      return request ? { type: 'respond', request, response: 'approved', ...message } : null;
    case 'allow_run':
    case 'allow_always': {
      const lasts = id === 'allow_run' ? 'run' : 'always';
      const grant: GrantChoice = { lasts, rule: words.trim() };
      return request ? { type: 'respond', request, response: 'approved', grant } : null;
    }
    case 'reject':
    case 'decline':
      return request ? { type: 'respond', request, response: 'rejected', ...message } : null;
    case 'modify':
      return request ? { type: 'respond', request, response: 'modified', ...message } : null;
    case 'accept':
      return request
        ? { type: 'respond', request, response: 'modified', data: { accept: true } }
        : null;
    case 'checks':
      return request ? { type: 'checks', request } : null;
    case 'go_on':
      // A question of a node wants its own answer; a stop ends when the run is resumed.
      return request && ANSWERED.has(item.kind)
        ? { type: 'respond', request, response: 'approved', ...message }
        : { type: 'resume' };
    case 'raise':
      return item.detail.type === 'limit' && limit !== null
        ? { type: 'resume', budget: { [item.detail.which]: limit } }
        : null;
    case 'remove_limit':
      return { type: 'resume', off: ['usd'] };
    case 'step':
    case 'continue':
    case 'cancel':
      return { type: id };
    default:
      return null;
  }
}

/** The same in a terminal. */
export function commandOf(
  item: InboxItem,
  id: ActionId,
  words = '',
  limit: number | null = null,
): string | null {
  const { shortId: run } = item;
  const said = words.trim();
  switch (id) {
    case 'approve':
      return cli.approve(run, said);
    case 'allow_run':
      return cli.allow(run, '--for-run', said || ruleOf(item));
    case 'allow_always':
      return cli.allow(run, '--always', said || ruleOf(item));
    case 'reject':
      return cli.reject(run, said || '…');
    case 'modify':
      return cli.answer(run, item.request ?? '', '--modify', said || '…');
    case 'answer':
      return cli.answer(run, item.request ?? '', '--message', said || '…');
    case 'decline':
      return cli.answer(run, item.request ?? '', '--reject');
    case 'accept':
      return `${cli.resume(run)} --accept`;
    case 'checks':
      return `${cli.resume(run)} --checks-from-profile`;
    case 'go_on':
      if (!ANSWERED.has(item.kind)) return cli.resume(run);
      return said ? cli.resumeApproving(run, said) : cli.resumeApproving(run);
    case 'raise':
      return raiseCommand(item, limit);
    case 'remove_limit':
      return `${cli.resume(run)} --no-budget`;
    case 'step':
      return cli.step(run);
    case 'continue':
      return cli.continue(run);
    case 'cancel':
      return cli.cancel(run);
    case 'plan':
      return cli.plan(run);
    case 'diff':
      return cli.diff(run);
    case 'open':
      return cli.show(run);
    case 'dismiss':
      return null;
  }
}

/** The rule that is offered: the exact call. Empty when no rule says just that. */
export const ruleOf = ({ detail }: Pick<InboxItem, 'detail'>): string =>
  detail.type === 'call' ? (detail.rule ?? '') : '';

function raiseCommand(item: InboxItem, limit: number | null): string | null {
  if (item.detail.type !== 'limit' || limit === null) return null;
  return cli.resumeWithin(item.shortId, { [item.detail.which]: limit });
}
