// Where a run stands: the same fold as `amelia-core/src/view.rs`, tested with the same logs. Events come in order.

import { brief } from '@/model/event/words';
import type { LogEvent } from '@/wire/LogEvent';
import type { AgentEvent } from '@/wire/log/AgentEvent';
import type { DeliveryEvent } from '@/wire/log/DeliveryEvent';
import type { HumanEvent } from '@/wire/log/HumanEvent';
import type { NodeEvent } from '@/wire/log/NodeEvent';
import type { PermissionGrant } from '@/wire/log/PermissionGrant';
import type { ResumeReason } from '@/wire/log/ResumeReason';
import type { ReviewEvent } from '@/wire/log/ReviewEvent';
import type { RunEvent } from '@/wire/log/RunEvent';
import type { RunStatus } from '@/wire/log/RunStatus';
import type { RunView } from '@/wire/log/RunView';
import type { Spend } from '@/wire/log/Spend';
import type { Steering } from '@/wire/log/Steering';
import type { TaskEvent } from '@/wire/log/TaskEvent';
import type { Usage } from '@/wire/log/Usage';

/** In the metadata of a message: the words of a person that it is, by their id. */
const HEARD = 'heard';

export function emptyView(): RunView {
  return {
    seq: 0,
    status: 'pending',
    active_ms: 0,
    spend: noSpend(),
    review_round: 0,
    sub_agents: 0,
  };
}

/** A view of its own, to continue from. */
export function copyView(view: RunView): RunView {
  return structuredClone(view);
}

/** Changes `view` to what it is after one more event. */
export function applyToView(view: RunView, event: LogEvent): void {
  view.seq = event.seq;
  countTime(view, event);
  view.updated_at = event.at;
  noteActivity(view, event);
  noteRetry(view, event);
  const kind = event.kind;
  const isChild = event.session != null;
  if ('run' in kind) {
    if (!isChild) applyRun(view, kind.run, event.at);
    else if (typeof kind.run === 'object' && 'created' in kind.run) view.sub_agents += 1;
  } else if ('node' in kind) {
    if (!isChild) applyNode(view, kind.node);
  } else if ('human' in kind) applyHuman(view, kind.human);
  else if ('task' in kind) applyTask(view, kind.task);
  else if ('review' in kind) applyReview(view, kind.review);
  else if ('agent' in kind) applyAgent(view, event.agent, kind.agent);
  else if ('delivery' in kind) applyDelivery(view, kind.delivery);
}

function applyDelivery(view: RunView, event: DeliveryEvent): void {
  if ('merged' in event) view.merged = event.merged;
  else view.pull_request = event.pull_request_opened;
}

/** Nodes that are at work or wait, in name order. */
export function activeNodes(view: RunView): string[] {
  return Object.entries(view.nodes ?? {})
    .filter(([, node]) => node.active > 0)
    .map(([name]) => name)
    .sort();
}

/** What one settled model call was. */
export function spendOf(usage: Usage): Spend {
  return {
    usd: usage.cost_usd ?? 0,
    tokens: tokensOf(usage),
    calls: Math.max(usage.num_turns ?? 1, 1),
    unpriced_calls: usage.cost_usd == null ? 1 : 0,
    estimated_calls: usage.is_estimated === true ? 1 : 0,
  };
}

export function tokensOf(usage: Usage): number {
  return (
    (usage.input_tokens ?? 0) + (usage.cache_creation_tokens ?? 0) + (usage.output_tokens ?? 0)
  );
}

export function noSpend(): Spend {
  return { usd: 0, tokens: 0, calls: 0, unpriced_calls: 0, estimated_calls: 0 };
}

export function plus(a: Spend, b: Spend): Spend {
  return {
    usd: a.usd + b.usd,
    tokens: a.tokens + b.tokens,
    calls: a.calls + b.calls,
    unpriced_calls: a.unpriced_calls + b.unpriced_calls,
    estimated_calls: a.estimated_calls + b.estimated_calls,
  };
}

/** The time since the last event was work, unless no worker was running the run. */
function countTime(view: RunView, event: LogEvent): void {
  const run = 'run' in event.kind ? event.kind.run : null;
  const goesOn = run === 'queued' || (run !== null && typeof run === 'object' && 'resumed' in run);
  if (view.status !== 'running' || goesOn || view.updated_at == null) return;
  const taken = wholeMillis(view.updated_at, event.at);
  if (taken > 0) view.active_ms += taken;
}

/** Whole milliseconds between two times with nanoseconds, cut as the server cuts them. */
function wholeMillis(from: string, to: string): number {
  const nanos = nanosOf(to) - nanosOf(from);
  return Number(nanos / 1_000_000n);
}

function nanosOf(at: string): bigint {
  const dot = at.indexOf('.');
  const second = Date.parse(dot < 0 ? at : `${at.slice(0, dot)}Z`);
  const fraction = dot < 0 ? '' : at.slice(dot + 1, -1);
  return BigInt(second) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9) || '0');
}

function noteActivity(view: RunView, event: LogEvent): void {
  const text = activityOf(event);
  if (text) view.activity = { agent: event.agent, at: event.at, text };
}

/** A retry is over when its agent does anything, and when the run stops. */
function noteRetry(view: RunView, event: LogEvent): void {
  const { kind, agent, at } = event;
  if ('system' in kind) {
    const warned = 'warned' in kind.system ? kind.system.warned : null;
    if (warned?.details?.retry === true) view.retry = { agent, at, text: warned.message };
  } else if ('agent' in kind) {
    if (view.retry?.agent === agent) delete view.retry;
  } else if ('run' in kind && event.session == null) delete view.retry;
}

/** What a person who glances at a run wants to read of an event. */
function activityOf(event: LogEvent): string | null {
  const kind = event.kind;
  if ('agent' in kind) {
    if ('called' in kind.agent) return brief(kind.agent.called);
    if ('said' in kind.agent) return kind.agent.said.role === 'assistant' ? event.summary : null;
    return 'finished' in kind.agent ? event.summary : null;
  }
  const isTold =
    'human' in kind || 'plan' in kind || 'task' in kind || 'review' in kind || 'delivery' in kind;
  return isTold ? event.summary : null;
}

/** The same rule for the same agent is one; the last word on how long it holds counts. */
function grant(view: RunView, granted: PermissionGrant): void {
  setGranted(view, [...without(view.granted, granted), granted]);
}

type RuleOf = Pick<PermissionGrant, 'agent' | 'rule'>;

const without = (granted: PermissionGrant[] | undefined, removed: RuleOf): PermissionGrant[] =>
  (granted ?? []).filter(({ agent, rule }) => agent !== removed.agent || rule !== removed.rule);

function setGranted(view: RunView, granted: PermissionGrant[]): void {
  if (granted.length > 0) view.granted = granted;
  else delete view.granted;
}

function applyRun(view: RunView, event: RunEvent, at: string): void {
  if (event === 'queued') queue(view, at);
  else if (event === 'started') {
    view.status = 'running';
    view.started_at = at;
    delete view.resume;
  } else if ('created' in event) {
    view.status = 'pending';
    setStops(view, event.created.spec.stops ?? []);
  } else if ('limited' in event) view.budget = event.limited.budget;
  else if ('checks_replaced' in event) view.checks = event.checks_replaced.checks;
  else if ('agents_replaced' in event) view.agents = event.agents_replaced.agents;
  else if ('team_replaced' in event) view.team = event.team_replaced.input;
  else if ('definition_replaced' in event)
    view.definition_changes = event.definition_replaced.changes;
  else if ('archived' in event) archive(view, event.archived.is_archived);
  else if ('permission_granted' in event) grant(view, event.permission_granted);
  else if ('steered' in event) steer(view, event.steered);
  else if ('paused' in event) view.status = { waiting: event.paused.reason };
  else if ('resumed' in event) {
    view.status = 'running';
    view.started_at ??= at;
    delete view.resume;
    delete view.failure;
    delete view.is_archived;
    delete view.ended_at;
  } else if ('completed' in event) {
    if (event.completed.summary == null) delete view.summary;
    else view.summary = event.completed.summary;
    end(view, 'completed', at);
  } else if ('failed' in event) {
    view.failure = event.failed.failure;
    end(view, 'failed', at);
  } else if ('cancelled' in event) end(view, 'cancelled', at);
}

function archive(view: RunView, isArchived: boolean): void {
  if (isArchived) view.is_archived = true;
  else delete view.is_archived;
}

/** The run is to move as soon as a worker is free. Its failure is over, and its open questions stand. */
function queue(view: RunView, at: string): void {
  const reason = resumeReason(view.status);
  if (reason) view.resume = reason;
  view.status = 'pending';
  view.queued_at = at;
  delete view.is_archived;
  delete view.failure;
  delete view.ended_at;
}

function resumeReason(status: RunStatus): ResumeReason | null {
  if (status === 'failed') return 'retried';
  if (status === 'running') return 'recovered';
  return typeof status === 'object' ? 'replied' : null;
}

/** Steps are the position's business. */
function steer(view: RunView, steering: Steering): void {
  if (typeof steering !== 'object') return;
  if ('breakpoints' in steering) view.breakpoints = steering.breakpoints;
  else if ('stops' in steering) setStops(view, steering.stops);
  else setGranted(view, without(view.granted, steering.remove_rule));
}

/** A stored view leaves out what is empty. */
function setStops(view: RunView, stops: string[]): void {
  if (stops.length > 0) view.stops = stops;
  else delete view.stops;
}

/** A cost is reached once. */
function spendStop(view: RunView, context: unknown): void {
  const rule = (context as { stop?: { rule?: string } } | null)?.stop?.rule;
  if (rule?.startsWith('cost:'))
    setStops(
      view,
      (view.stops ?? []).filter((stop) => stop !== rule),
    );
}

function end(view: RunView, status: RunStatus, at: string): void {
  view.status = status;
  view.ended_at = at;
  delete view.resume;
  // A failed run may be told to try again: its nodes and questions stand.
  if (status === 'failed') return;
  delete view.pending;
  for (const node of Object.values(view.nodes ?? {})) node.active = 0;
}

function applyNode(view: RunView, event: NodeEvent): void {
  view.nodes ??= {};
  if ('entered' in event) {
    const node = view.nodes[event.entered.node];
    if (node) {
      node.visits += 1;
      node.active += 1;
    } else view.nodes[event.entered.node] = { visits: 1, active: 1 };
  } else {
    const node = view.nodes[event.left.node];
    if (node) node.active = Math.max(node.active - 1, 0);
  }
}

function applyHuman(view: RunView, event: HumanEvent): void {
  if ('requested' in event) {
    spendStop(view, event.requested.context);
    view.pending = [...(view.pending ?? []), event.requested];
  } else if ('replied' in event) {
    const open = (view.pending ?? []).filter((request) => request.id !== event.replied.request);
    if (open.length > 0) view.pending = open;
    else delete view.pending;
  } else if (event.intervened.kind === 'instruction') {
    view.unheard = [...(view.unheard ?? []), event.intervened];
  }
}

function applyTask(view: RunView, event: TaskEvent): void {
  if (!('started' in event)) return;
  view.task = event.started;
  view.review_round = 0;
}

function applyReview(view: RunView, event: ReviewEvent): void {
  if ('requested' in event) view.review_round = event.requested.round;
}

function applyAgent(view: RunView, agent: string, event: AgentEvent): void {
  if ('said' in event) {
    const heard = event.said.metadata?.[HEARD];
    const left = (view.unheard ?? []).filter((words) => words.id !== heard);
    if (left.length > 0) view.unheard = left;
    else delete view.unheard;
  } else if ('used' in event) {
    const spend = spendOf(event.used);
    view.spend = plus(view.spend, spend);
    view.spend_by_agent ??= {};
    view.spend_by_agent[agent] = plus(view.spend_by_agent[agent] ?? noSpend(), spend);
    view.spend_by_model ??= {};
    const model = event.used.model ?? '';
    view.spend_by_model[model] = plus(view.spend_by_model[model] ?? noSpend(), spend);
  }
}
