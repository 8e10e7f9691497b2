// Where a run stands, for its header and its graph: from its log when that is all here, else from what the server says.

import { millis } from '@/model/event/event';
import { topicOf } from '@/model/inbox/topic';
import type { Budget } from '@/wire/Budget';
import type { HumanKind } from '@/wire/log/HumanKind';
import type { HumanRequest } from '@/wire/log/HumanRequest';
import type { PermissionGrant } from '@/wire/log/PermissionGrant';
import type { RunView } from '@/wire/log/RunView';
import type { Spend } from '@/wire/log/Spend';
import type { TaskRef } from '@/wire/log/TaskRef';
import type { Pending } from '@/wire/Pending';
import type { RunDetail } from '@/wire/RunDetail';
import type { Status } from '@/wire/Status';
import { activeNodes } from './run-view';
import { completedWord } from './status-token';

export type Tone = 'queued' | 'running' | 'needs-you' | 'paused' | 'done' | 'failed' | 'cancelled';

export type RunState = {
  tone: Tone;
  /** One or two words for the badge. */
  word: string;
  /** What it waits for; nothing when it does not wait for a person. */
  waiting: HumanKind | null;
  /** Its questions without an answer. */
  asked: string[];
  /** Nodes that are entered. */
  nodes: string[];
  visits: ReadonlyMap<string, number>;
  task: TaskRef | null;
  round: number;
  spend: Spend;
  budget: Budget;
  /** Time at work; while it works, it counts on from `countsFrom`. */
  activeMs: number;
  countsFrom: number | null;
  failure: string | null;
  /** Calls of its agents that need no approval in this run. */
  granted: readonly PermissionGrant[];
};

const WAITS: Record<HumanKind, [Tone, string]> = {
  approval: ['needs-you', 'Needs approval'],
  question: ['needs-you', 'Has a question'],
  escalation: ['needs-you', 'Needs a decision'],
  rounds: ['needs-you', 'Rounds used up'],
  budget: ['needs-you', 'Budget reached'],
  quota: ['needs-you', 'Quota used up'],
  step_limit: ['needs-you', 'Step limit reached'],
  breakpoint: ['paused', 'At a breakpoint'],
  step: ['paused', 'Step by step'],
  pause: ['paused', 'Paused'],
};

/** It has ended: nothing of it is at work any more. */
export const isFinal = (status: RunView['status'] | Status): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

export function runStateOf(detail: RunDetail, view: RunView): RunState {
  const status = view.status;
  const isInterrupted = status === 'running' && detail.why?.waiting_for === 'resume';
  const [tone, word] = isInterrupted ? interrupted : toneOf(view, detail);
  const isWorking = tone === 'running';
  return {
    tone,
    word,
    waiting: typeof status === 'object' ? status.waiting : null,
    asked: (view.pending ?? []).map(({ id }) => id),
    nodes: activeNodes(view),
    visits: new Map(Object.entries(view.nodes ?? {}).map(([node, of]) => [node, of.visits])),
    task: view.task ?? null,
    round: view.review_round,
    spend: view.spend,
    budget: { ...detail.budget, ...limits(view) },
    activeMs: view.active_ms,
    countsFrom: isWorking && view.updated_at ? secondOf(view.updated_at, view.active_ms) : null,
    failure: view.failure?.message ?? null,
    granted: view.granted ?? [],
  };
}

/** The same second for every event of a stretch of work, though their times are not whole milliseconds. */
const secondOf = (at: string, activeMs: number) =>
  Math.round((millis(at) - activeMs) / 1_000) * 1_000;

const interrupted: [Tone, string] = ['paused', 'Interrupted'];

/** The code of a failure that a person ends by setting a key: nothing is lost. */
const MISSING_KEY = 'missing_key';
const needsKey: [Tone, string] = ['needs-you', 'Needs a key'];

function toneOf(view: RunView, detail: RunDetail): [Tone, string] {
  const status = view.status;
  if (typeof status === 'object') {
    const [tone, word] = WAITS[status.waiting];
    const asked = view.pending?.find(({ kind }) => kind === status.waiting);
    return [tone, topicOf(asked?.context) ?? word];
  }
  switch (status) {
    case 'pending':
      return view.queued_at == null && detail.queued_at == null
        ? ['queued', 'Not started']
        : ['queued', 'Queued'];
    case 'running':
      return ['running', 'Running'];
    case 'completed':
      return ['done', completedWord(mergeOf(view, detail))];
    case 'failed':
      return view.failure?.code === MISSING_KEY ? needsKey : ['failed', 'Failed'];
    case 'cancelled':
      return ['cancelled', 'Cancelled'];
  }
}

/** The log does not know whether a merge was undone; the server has looked at the last one. */
function mergeOf({ merged }: RunView, { outcome }: RunDetail) {
  const undone = merged?.commit === outcome?.merged?.commit ? outcome?.merged?.undone : null;
  return merged && { undone: undone ?? null };
}

/** The same where a person has merged the change with git into this branch: the header has the word of the list. */
export const mergedByHand = (runState: RunState, into: string | null): RunState =>
  into !== null && runState.tone === 'done'
    ? { ...runState, word: completedWord({ undone: null }) }
    : runState;

function limits(view: RunView): Partial<Budget> {
  if (!view.budget) return {};
  const { usd, tokens, calls, wall_seconds } = view.budget;
  return {
    usd: usd ?? null,
    tokens: tokens ?? null,
    calls: calls ?? null,
    wall_seconds: wall_seconds ?? null,
  };
}

/** What the server says, in the terms of a view: until the log is here. */
export function viewOf(detail: RunDetail): RunView {
  const { usage } = detail;
  const nodes = Object.entries(detail.stages).map(
    ([node, { visits, active }]) => [node, { visits, active: active ? 1 : 0 }] as const,
  );
  return {
    seq: detail.sequence,
    status: statusOf(detail),
    pending: detail.pending_requests.map(asLogged),
    queued_at: detail.queued_at,
    started_at: detail.started_at,
    updated_at: detail.updated_at,
    ended_at: detail.completed_at,
    active_ms: detail.active_ms,
    nodes: Object.fromEntries(nodes),
    spend: {
      usd: usage.cost_usd ?? 0,
      tokens: usage.tokens,
      calls: usage.calls,
      unpriced_calls: usage.unpriced_calls,
      estimated_calls: usage.estimated_calls,
    },
    task: detail.current_task,
    review_round: detail.review_round,
    sub_agents: 0,
    merged: detail.outcome?.merged ?? null,
    ...(detail.error ? { failure: { code: codeOf(detail), message: detail.error } } : {}),
  };
}

const codeOf = ({ why }: RunDetail) => (why?.waiting_for === 'key' ? MISSING_KEY : '');

const asLogged = (one: Pending): HumanRequest => ({
  id: one.request_id,
  kind: isKind(one.kind) ? one.kind : 'approval',
  by: one.agent,
  at: one.requested_at,
  prompt: one.prompt,
  context: one.context,
});

const KINDS = new Map(Object.keys(WAITS).map((kind) => [kind, kind]));
const isKind = (word: string | undefined): word is HumanKind =>
  word !== undefined && KINDS.has(word);

function statusOf(detail: RunDetail): RunView['status'] {
  switch (detail.status) {
    case 'awaiting_approval':
    case 'paused': {
      const kind = detail.why?.waiting_for;
      return { waiting: isKind(kind) ? kind : 'pause' };
    }
    default:
      return detail.status;
  }
}

/** What can be done to the run now. Answers to its questions are in the inbox's table. */
export type AllowedActions = {
  start: boolean;
  pause: boolean;
  cancel: boolean;
  step: boolean;
  say: boolean;
  archive: boolean;
};

export function allowedActionsOf(detail: RunDetail, runState: RunState): AllowedActions {
  const { tone, waiting } = runState;
  const hasFailed = tone === 'failed' || runState.failure !== null;
  const isOpen = tone !== 'done' && tone !== 'cancelled' && !hasFailed;
  return {
    start: detail.why?.waiting_for === 'start' && tone === 'queued',
    pause: tone === 'running',
    cancel: isOpen,
    // In step mode, the next step is the answer.
    step: waiting === 'pause' || waiting === 'breakpoint',
    // A failed run hears it when it tries again.
    say: isOpen || hasFailed,
    archive: !isOpen,
  };
}

/** The graph of a team has this name, not that of the team. */
export const isTeamRun = ({ pipeline }: Pick<RunDetail, 'pipeline'>) => pipeline === 'team';
