// What needs a person: questions without an answer, and runs that stand still. Pure; screens and the tab's title read it.

import { hintIn, plainly } from '@/model/board/waiting';
import type { LimitName } from '@/wire/LimitName';
import type { WaitMode } from '@/wire/log/WaitMode';
import type { Pending } from '@/wire/Pending';
import type { RunSummary } from '@/wire/RunSummary';
import { type Action, actionsFor } from './actions';
import { askedCall } from './asked-call';
import { type Detail, detailOf } from './detail';
import { isOfTeam, topicOf } from './topic';

export type ItemKind =
  | 'plan'
  | 'permission'
  | 'approval'
  | 'question'
  | 'conflict'
  | 'decision'
  | 'help'
  | 'rounds'
  | 'budget'
  | 'quota'
  | 'pause'
  | 'breakpoint'
  | 'step'
  | 'step_limit'
  | 'failed'
  | 'key'
  | 'interrupted';

export type InboxItem = {
  /** Of the question; of a run that stands still, with the moment: a second failure is another item. */
  id: string;
  run: string;
  /** The run in commands: `r12`. */
  shortId: string;
  /** The question to answer; `null` when there is none. */
  request: string | null;
  kind: ItemKind;
  /** What is wanted, in two or three words. */
  what: string;
  title: string;
  issue: string | null;
  /** Who asks. */
  agent: string;
  /** In plain words. */
  why: string;
  hint: string | null;
  since: string | null;
  deadline: { at: string; after: string } | null;
  /** What does not wait for the answer, where that is not the run. */
  continues: string | null;
  detail: Detail;
  /** The first is the obvious one. */
  actions: Action[];
};

/** As much of a run as is needed: a line of a list has it, and so has the page of the run. */
export type InboxRun = Pick<
  RunSummary,
  'id' | 'short_id' | 'title' | 'issue_id' | 'why' | 'usage' | 'budget'
>;

const WHAT: Record<ItemKind, string> = {
  plan: 'Approve plan',
  permission: 'Permission',
  approval: 'Approval',
  question: 'Question',
  conflict: 'Conflict',
  decision: 'Decision',
  help: 'Help wanted',
  rounds: 'Rounds used up',
  budget: 'Budget reached',
  quota: 'Quota used up',
  pause: 'Paused',
  breakpoint: 'Breakpoint',
  step: 'Step mode',
  step_limit: 'Step limit',
  failed: 'Failed',
  key: 'Needs a key',
  interrupted: 'Interrupted',
};

/** Runs that stand still without a question, by what they wait for. */
const STOPPED = new Map<string, ItemKind>([
  ['retry', 'failed'],
  ['key', 'key'],
  ['resume', 'interrupted'],
]);

const AFTER_DEADLINE = {
  reject: 'then it is rejected',
  approve: 'then it is approved',
  escalate: 'then you are asked again',
};

const CONTINUES: Record<WaitMode, string | null> = {
  synchronous: null,
  asynchronous: 'Other agents continue',
  advisory: 'The agent continues',
};

/** Questions first, oldest first; then what stands still, newest first. */
export function inboxOf(
  pending: readonly Pending[],
  runs: readonly InboxRun[],
  isHidden: (id: string) => boolean = () => false,
): InboxItem[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const asked = pending.map((one) => fromPending(one, byId.get(one.workflow_id) ?? null));
  const stalled = [...byId.values()]
    .flatMap(fromRun)
    .sort((a, b) => (b.since ?? '').localeCompare(a.since ?? ''));
  return [...asked, ...stalled].filter((item) => !isHidden(item.id));
}

function fromPending(one: Pending, run: InboxRun | null): InboxItem {
  const detail = detailOf(one, run);
  const kind = kindOf(one, detail);
  const item = {
    id: one.request_id,
    run: one.workflow_id,
    shortId: one.short_id,
    request: one.request_id,
    kind,
    what: whatOf(kind, one, detail),
    title: one.title,
    issue: run?.issue_id ?? null,
    agent: one.agent,
    why: whyOf(kind, one, detail),
    hint: hintIn(one.prompt),
    since: one.requested_at,
    deadline: one.deadline ? { at: one.deadline, after: AFTER_DEADLINE[one.on_timeout] } : null,
    continues: one.mode === null ? null : CONTINUES[one.mode],
    detail,
  };
  return { ...item, actions: actionsFor(item) };
}

function whatOf(kind: ItemKind, { context }: Pending, detail: Detail): string {
  if (detail.type === 'asked' && detail.tool === 'feedback') return 'Feedback';
  return topicOf(context) ?? WHAT[kind];
}

function fromRun(run: InboxRun): InboxItem[] {
  const waits = run.why?.waiting_for;
  const kind = STOPPED.get(waits ?? '');
  if (!run.why || !kind) return [];
  const item = {
    id: `${run.id} ${waits} ${run.why.since ?? ''}`,
    run: run.id,
    shortId: run.short_id,
    request: null,
    kind,
    what: WHAT[kind],
    title: run.title,
    issue: run.issue_id,
    agent: 'system',
    why:
      kind === 'interrupted'
        ? 'Interrupted: the server stopped while it was running'
        : plainly(run.why.message),
    hint: hintIn(run.why.message),
    since: run.why.since,
    deadline: null,
    continues: null,
    detail: { type: 'none' } as const,
  };
  return [{ ...item, actions: actionsFor(item) }];
}

function kindOf(one: Pending, detail: Detail): ItemKind {
  switch (one.kind) {
    case 'approval':
      if (detail.type === 'call') return 'permission';
      return detail.type === 'plan' ? 'plan' : 'approval';
    case 'rounds':
      return detail.type === 'conflict' ? 'conflict' : 'rounds';
    case 'escalation':
      if (detail.type === 'asked') return 'help';
      return isOfTeam(one.context) ? 'decision' : 'conflict';
    case 'question':
    case 'budget':
    case 'quota':
    case 'pause':
    case 'breakpoint':
    case 'step':
    case 'step_limit':
      return one.kind;
    default:
      return 'approval';
  }
}

function whyOf(kind: ItemKind, one: Pending, detail: Detail): string {
  if (kind === 'plan' && detail.type === 'plan') {
    if (detail.problems.length > 0) return 'The plan has problems that the Architect did not fix';
    return 'The plan is ready. No files change before you approve it';
  }
  if (detail.type === 'elicitation' && detail.fields !== null)
    return `The MCP server \`${detail.server}\` asks: ${detail.message.trim()}`;
  if (kind === 'permission' && detail.type === 'call') return askedCall(detail);
  // Without what it would come to, the server's own words say more: the price is unknown.
  if (
    detail.type === 'limit' &&
    detail.limit !== null &&
    detail.wouldBe !== null &&
    !detail.isElsewhere
  )
    return limitInWords(detail.which, detail.limit, detail.wouldBe);
  if (kind === 'pause') return 'Paused by a user. Resume it when you are ready';
  if (kind === 'step') return 'Running step by step, waiting for the next step';
  // A question of an agent is shown as it was asked.
  return plainly(one.prompt);
}

const UNITS: Record<LimitName, (value: number) => string> = {
  usd: (value) => `$${value.toFixed(2)}`,
  tokens: (value) => `${value.toLocaleString('en')} tokens`,
  calls: (value) => `${value.toLocaleString('en')} model calls`,
  wall_seconds: (value) => `${Math.ceil(value / 60)} minutes of active time`,
};

function limitInWords(which: LimitName, limit: number, wouldBe: number | null): string {
  const shown = UNITS[which];
  const more = wouldBe === null ? '' : `; the next step would bring it to ${shown(wouldBe)}`;
  return `The limit is ${shown(limit)}${more}`;
}

/** What a screen reader announces when these are new. */
export function announcementOf(fresh: readonly InboxItem[]): string {
  const [first] = fresh;
  if (!first) return '';
  if (fresh.length > 1) return `${fresh.length} new things need you`;
  return `${first.what}: ${first.title}`;
}
