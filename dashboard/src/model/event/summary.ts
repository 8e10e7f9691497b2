// One line for a person, and how much it matters: the same words as the server's own summaries.

import { tokensOf } from '@/model/run/run-view';
import type { AgentEvent } from '@/wire/log/AgentEvent';
import type { ArtifactEvent } from '@/wire/log/ArtifactEvent';
import type { Budget } from '@/wire/log/Budget';
import type { CheckResult } from '@/wire/log/CheckResult';
import type { EffectEvent } from '@/wire/log/EffectEvent';
import type { Event } from '@/wire/log/Event';
import type { GuardrailEvent } from '@/wire/log/GuardrailEvent';
import type { HumanEvent } from '@/wire/log/HumanEvent';
import type { HumanKind } from '@/wire/log/HumanKind';
import type { MemoryEvent } from '@/wire/log/MemoryEvent';
import type { Message } from '@/wire/log/Message';
import type { NodeEvent } from '@/wire/log/NodeEvent';
import type { PlanEvent } from '@/wire/log/PlanEvent';
import type { ReviewEvent } from '@/wire/log/ReviewEvent';
import type { RunEvent } from '@/wire/log/RunEvent';
import type { Steering } from '@/wire/log/Steering';
import type { SystemEvent } from '@/wire/log/SystemEvent';
import type { TaskEvent } from '@/wire/log/TaskEvent';
import type { TaskRef } from '@/wire/log/TaskRef';
import type { TeamEvent } from '@/wire/log/TeamEvent';
import type { ToolCall } from '@/wire/log/ToolCall';

const MAX_LINE_CHARS = 120;

export function summaryOf(event: Event): string {
  const kind = event.kind;
  if ('run' in kind) return ofRun(kind.run);
  if ('node' in kind) return ofNode(kind.node);
  if ('human' in kind) return ofHuman(kind.human);
  if ('plan' in kind) return ofPlan(kind.plan);
  if ('task' in kind) return ofTask(kind.task);
  if ('review' in kind) return ofReview(kind.review);
  if ('agent' in kind) return ofAgent(kind.agent);
  if ('team' in kind) return ofTeam(kind.team);
  if ('artifact' in kind) return ofArtifact(kind.artifact);
  if ('memory' in kind) return ofMemory(kind.memory);
  if ('guardrail' in kind) return ofGuardrail(kind.guardrail);
  if ('ingest' in kind) {
    const { document, stage, done, total } = kind.ingest.progressed;
    return `${document}: ${stage} ${done} of ${total}`;
  }
  if ('system' in kind) return ofSystem(kind.system);
  return ofEffect(kind.effect);
}

const TELLING = [
  'command',
  'path',
  'file_path',
  'pattern',
  'query',
  'url',
  'question',
  'description',
];

/** A call in one line: the tool, and the argument that says most. */
export function brief(call: ToolCall): string {
  for (const name of TELLING) {
    const said = call.args[name];
    if (typeof said === 'string') return `${call.tool} ${oneLine(said)}`;
  }
  return call.tool;
}

/** What the turn says in words. */
export function textOf(message: Message): string {
  return message.parts.flatMap((part) => ('text' in part ? [part.text.text] : [])).join('\n\n');
}

export function oneLine(text: string): string {
  const line = (text.split(/\r?\n/).find((line) => line.trim() !== '') ?? '').trim();
  if (line.length <= MAX_LINE_CHARS) return line;
  const short = Array.from(line).slice(0, MAX_LINE_CHARS).join('');
  return short.length < line.length ? `${short}…` : short;
}

/** What a run may use, in words. */
export function budgetInWords(budget: Budget): string {
  const parts = [
    budget.usd == null ? null : `${budget.usd} USD`,
    budget.tokens == null ? null : `${budget.tokens} tokens`,
    budget.calls == null ? null : `${budget.calls} model calls`,
    budget.wall_seconds == null ? null : `${budget.wall_seconds} seconds of work`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'as much as it needs' : parts.join(', ');
}

/** Why a run waits, in one or two words. */
export function kindInWords(kind: HumanKind): string {
  switch (kind) {
    case 'step':
      return 'step mode';
    case 'pause':
      return 'paused';
    case 'step_limit':
      return 'step limit';
    case 'rounds':
      return 'rounds used up';
    default:
      return kind;
  }
}

/** How a check ended, in a few words. */
export function checkEnd(check: CheckResult): string {
  if (check.interrupted) return 'was interrupted, its outcome is unknown';
  if (check.passed) return 'passed';
  if (check.timed_out) return 'took too long';
  return check.exit_code == null ? 'was killed' : `failed with exit code ${check.exit_code}`;
}

function ofRun(event: RunEvent): string {
  if (event === 'queued') return 'waits for its turn';
  if (event === 'started') return 'started';
  if ('created' in event) return `created: ${oneLine(event.created.spec.title)}`;
  if ('steered' in event) return ofSteering(event.steered);
  if ('limited' in event) return `from now on it may use ${budgetInWords(event.limited.budget)}`;
  if ('paused' in event) return `waits: ${kindInWords(event.paused.reason)}`;
  if ('resumed' in event) {
    const words = {
      replied: 'goes on after an answer',
      recovered: 'goes on where the process had ended',
      retried: 'tries again',
    };
    return words[event.resumed.reason];
  }
  if ('completed' in event) {
    return event.completed.summary == null
      ? 'completed'
      : `completed: ${oneLine(event.completed.summary)}`;
  }
  if ('failed' in event) return `failed: ${oneLine(event.failed.failure.message)}`;
  return event.cancelled.by == null ? 'cancelled' : `cancelled by ${event.cancelled.by}`;
}

function ofSteering(steering: Steering): string {
  if (steering === 'step') return 'stops before the next node';
  if (steering === 'continue') return 'goes on without stopping';
  const nodes = steering.breakpoints;
  return nodes.length === 0 ? 'has no breakpoints any more' : `stops before ${nodes.join(', ')}`;
}

function ofNode(event: NodeEvent): string {
  if ('entered' in event) return `${event.entered.node} entered (step ${event.entered.step})`;
  return `${event.left.node} left (step ${event.left.step}, ${event.left.duration_ms} ms)`;
}

function ofHuman(event: HumanEvent): string {
  if ('requested' in event) {
    const { by, kind, prompt } = event.requested;
    return `${by} asks (${kindInWords(kind)}): ${oneLine(prompt)}`;
  }
  if ('replied' in event) {
    const words = {
      approve: 'approved',
      reject: 'rejected',
      modify: 'modified',
      timed_out: 'nobody answered in time',
    };
    const { action, message } = event.replied;
    return message == null ? words[action] : `${words[action]}: ${oneLine(message)}`;
  }
  return event.intervened.by == null ? 'a person stepped in' : `${event.intervened.by} stepped in`;
}

function ofPlan(event: PlanEvent): string {
  if ('validated' in event) return `plan valid, ${event.validated.tasks} tasks`;
  return `plan refused at revision ${event.refused.revision}: ${event.refused.verdict.issues.join('; ')}`;
}

function ofTask(event: TaskEvent): string {
  const place = (task: TaskRef) => `task ${task.index + 1} of ${task.total}`;
  if ('started' in event) return `${place(event.started)} started: ${oneLine(event.started.title)}`;
  if ('checked' in event) {
    const ends = event.checked.checks.map((check) => `${check.name} ${checkEnd(check)}`);
    return `task ${event.checked.task.id}: checks: ${ends.join(', ')}`;
  }
  if ('committed' in event) {
    const { task, commit, message } = event.committed;
    return `task ${task.id}: committed ${commit.slice(0, 8)}: ${oneLine(message)}`;
  }
  if ('completed' in event)
    return `${place(event.completed)} completed: ${oneLine(event.completed.title)}`;
  return `${place(event.failed.task)} failed: ${oneLine(event.failed.error)}`;
}

function ofReview(event: ReviewEvent): string {
  const of = (task: TaskRef | null | undefined) => (task == null ? '' : `task ${task.id}: `);
  if ('requested' in event)
    return `${of(event.requested.task)}review round ${event.requested.round} requested`;
  if ('completed' in event) {
    const { round, review, task } = event.completed;
    const verdict = review.approved ? 'approved' : 'changes requested';
    const count = review.comments.length;
    const comments = count === 0 ? '' : `, ${count} ${count === 1 ? 'comment' : 'comments'}`;
    return `${of(task)}review round ${round}: ${verdict}${comments}`;
  }
  if ('evaluated' in event) {
    const { round, evaluation, task } = event.evaluated;
    return `${of(task)}nothing goes back after round ${round}: ${evaluation.summary}`;
  }
  const { round, evaluation, task } = event.revision_requested;
  return `${of(task)}changes requested after round ${round}: ${evaluation.summary}`;
}

function ofAgent(event: AgentEvent): string {
  if ('started' in event) return 'agent started';
  if ('thought' in event) return `thinks: ${oneLine(event.thought.text)}`;
  if ('called' in event) return `calls ${event.called.tool}`;
  if ('returned' in event) {
    const { tool, error, output } = event.returned;
    if (error != null) return `${tool} failed: ${oneLine(error)}`;
    return `${tool} returned ${new TextEncoder().encode(output).length} bytes`;
  }
  if ('said' in event) return oneLine(textOf(event.said));
  if ('used' in event) {
    const { cost_usd } = event.used;
    return `used ${tokensOf(event.used)} tokens, ${cost_usd == null ? 'cost unknown' : `${cost_usd.toFixed(4)} USD`}`;
  }
  const { text, is_error } = event.finished;
  return `${is_error ? 'gave up' : 'done'}: ${oneLine(text)}`;
}

function ofTeam(event: TeamEvent): string {
  if ('handed_off' in event) {
    const { from, to, reason } = event.handed_off;
    return `${from} hands over to ${to}: ${oneLine(reason)}`;
  }
  if ('forked' in event) return `${event.forked.agents.length} agents work side by side`;
  if ('joined' in event) {
    const { sync_point, completed, waiting } = event.joined;
    return `${sync_point}: ${completed.length} there, ${waiting.length} awaited`;
  }
  if ('proposed' in event)
    return `${event.proposed.by} proposes: ${oneLine(event.proposed.decision)}`;
  if ('voted' in event) return `${event.voted.by} votes ${oneLine(event.voted.vote)}`;
  return `agreed: ${oneLine(event.agreed.decision)}`;
}

function ofArtifact(event: ArtifactEvent): string {
  if ('created' in event) return `${event.created.uri} created`;
  if ('modified' in event) return `${event.modified.uri} modified`;
  if ('deleted' in event) return `${event.deleted.uri} deleted`;
  return `${event.versioned.uri}: ${event.versioned.old} → ${event.versioned.new}`;
}

function ofMemory(event: MemoryEvent): string {
  if ('stored' in event) return `remembered ${event.stored.memory} (${event.stored.size} bytes)`;
  if ('retrieved' in event) {
    return `found ${event.retrieved.results} memories for: ${oneLine(event.retrieved.query)}`;
  }
  return `${event.consolidated.items} memories of ${event.consolidated.topic} summarised`;
}

function ofGuardrail(event: GuardrailEvent): string {
  if ('violated' in event)
    return `policy ${event.violated.policy} violated, ${event.violated.action}`;
  return `policy ${event.policy_changed.policy} changed by ${event.policy_changed.by}`;
}

function ofSystem(event: SystemEvent): string {
  if ('failed' in event) return oneLine(event.failed.message);
  if ('recovered' in event) {
    return `${event.recovered.success ? 'recovered' : 'not recovered'}: ${event.recovered.strategy}`;
  }
  if ('warned' in event) return oneLine(event.warned.message);
  if ('checked' in event) return `${event.checked.component} is ${event.checked.status}`;
  const { name, value, unit } = event.measured;
  return `${name} = ${value} ${unit}`;
}

function ofEffect(event: EffectEvent): string {
  if ('intended' in event) return `about to ${event.intended.kind} on ${event.intended.target}`;
  if ('done' in event) return `effect ${event.done.effect} done`;
  return `effect ${event.doubted.effect} in doubt: ${event.doubted.why}`;
}
