// A run as a tree: stages, in them the conversations of agents, their turns, the calls of each turn, and the sub-agents that
// calls start. What is under a node is computed when it is opened.

import { waitsIn } from '@/model/event/waits';
import type { RunLog } from '@/model/run/run-log';
import type { Visit } from '@/model/stream/transcript';
import { visitSnapshot } from '@/model/stream/visit-snapshot';
import type { RunStatus } from '@/wire/log/RunStatus';
import { type Outcome, type TraceNode, together } from './trace-node';
import { type Moment, sessionsOf, timeOf } from './trace-sessions';

/** The visits up to `seq`, in their order. */
export function visitsUntil(log: RunLog, seq = Number.POSITIVE_INFINITY): Visit[] {
  return log.transcript.sections.flatMap((section) =>
    section.kind === 'visit' && section.fromSeq <= seq ? [section] : [],
  );
}

/** What it means that a stage has not ended. */
function openOutcome(status: RunStatus): Outcome {
  if (typeof status === 'object') return 'waits';
  if (status === 'failed') return 'bad';
  return status === 'running' || status === 'pending' ? 'open' : 'stopped';
}

const momentOf = (log: RunLog, left: Outcome, seq: number): Moment => {
  const goesOn = left === 'open' || left === 'waits';
  return { left, seq: Number.isFinite(seq) || goesOn ? seq : log.lastSeq };
};

/** The whole run; `merged`: one node for all visits of a stage, and for all calls of a tool. */
export function traceOf(log: RunLog, merged: boolean, seq = Number.POSITIVE_INFINITY): TraceNode {
  const { status } = Number.isFinite(seq) ? log.viewAt(seq) : log.view;
  const moment = momentOf(log, openOutcome(status), seq);
  const stages = visitsUntil(log, seq).map((visit) => stageOf(log, visit, moment));
  const all = together('run', 'run', 'Run', stages);
  const within = { from: all.start, to: all.end };
  // Stages that stand side by side wait for the same person.
  const waits = waitsIn(log.facts.waits, within, seq, timeOf(log, seq));
  return {
    ...all,
    waits,
    count: 1,
    children: () => (merged ? byLabel('run', stages) : stages),
  };
}

function byLabel(prefix: string, nodes: readonly TraceNode[]): TraceNode[] {
  const groups = new Map<string, TraceNode[]>();
  for (const node of nodes) {
    const name = `${node.kind} ${node.label} ${node.agent ?? ''}`;
    const group = groups.get(name);
    if (group) group.push(node);
    else groups.set(name, [node]);
  }
  return [...groups].map(([name, group]) => {
    const [first] = group;
    const key = `${prefix}/${name}`;
    const node = together(key, first?.kind ?? 'stage', first?.label ?? '', group);
    const opens = group.some(({ children }) => children !== null);
    const children = opens ? () => byLabel(key, belowAll(group)) : null;
    return { ...node, agent: first?.agent ?? null, children };
  });
}

/** What is under them; of a conversation not the turns, but their calls. */
function belowAll(nodes: readonly TraceNode[]): TraceNode[] {
  const below = nodes.flatMap(({ children }) => children?.() ?? []);
  return below[0]?.kind === 'turn' ? belowAll(below) : below;
}

function stageOf(log: RunLog, visit: Visit, moment: Moment): TraceNode {
  const { left, seq } = moment;
  const then = visitSnapshot(log, visit, Number.isFinite(seq) ? seq : null);
  const key = `v${visit.step}.${visit.fromSeq}`;
  return {
    key,
    kind: 'stage',
    label: visit.node,
    about: visit.task?.title ?? null,
    agent: null,
    session: null,
    count: 1,
    start: then.start,
    end: then.end,
    durationMs: then.workMs,
    waits: then.waits,
    spend: then.spend,
    errors: then.errors,
    outcome: then.isOpen ? left : hasFailedCheck(visit) ? 'bad' : 'good',
    seq: visit.fromSeq,
    children:
      then.agents.length === 0 ? null : () => sessionsOf(log, visit, then.items, key, moment),
  };
}

/** A stage of the orchestrator itself has few items; one with agents ends well when it ends. */
function hasFailedCheck({ agents, items }: Visit): boolean {
  if (agents.length > 0) return false;
  return items.some(
    ({ kind, ...item }) =>
      kind === 'note' &&
      'event' in item &&
      'task' in item.event.kind &&
      'checked' in item.event.kind.task &&
      item.event.kind.task.checked.checks.some((check) => !check.passed),
  );
}
