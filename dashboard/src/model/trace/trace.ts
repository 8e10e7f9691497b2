// A run as a tree: stages, in them the conversations of agents, their turns, and the calls of each turn. What is under a
// node is computed when it is opened.

import { millis } from '@/model/event/event';
import { type TimeRange, waitsIn } from '@/model/event/waits';
import { oneLine, textOf } from '@/model/event/words';
import type { RunLog } from '@/model/run/run-log';
import { noSpend, plus, spendOf } from '@/model/run/run-view';
import type { CallItem, Item, Visit } from '@/model/stream/transcript';
import { timeAt, visitSnapshot } from '@/model/stream/visit-snapshot';
import type { RunStatus } from '@/wire/log/RunStatus';
import type { Spend } from '@/wire/log/Spend';

export type TraceKind = 'run' | 'stage' | 'session' | 'turn' | 'call';
/** `stopped`: the run ended before it did. */
export type Outcome = 'good' | 'bad' | 'open' | 'waits' | 'stopped';

export type TraceNode = {
  key: string;
  kind: TraceKind;
  label: string;
  agent: string | null;
  /** How many nodes this one stands for. */
  count: number;
  /** Milliseconds since the epoch; no end while it lasts. */
  start: number;
  end: number | null;
  /** At work; of several, all together. */
  durationMs: number | null;
  /** When a person was waited for. */
  waits: TimeRange[];
  spend: Spend;
  errors: number;
  outcome: Outcome;
  seq: number;
  children: (() => TraceNode[]) | null;
};

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

/** Where what is still open is looked at from: what does not continue is drawn up to the end of the log. */
type Moment = { left: Outcome; seq: number };

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
    children: () => (merged ? byLabel('run', stages, log) : stages),
  };
}

function byLabel(prefix: string, nodes: TraceNode[], log: RunLog): TraceNode[] {
  const groups = new Map<string, TraceNode[]>();
  for (const node of nodes) {
    const name = `${node.kind} ${node.label} ${node.agent ?? ''}`;
    groups.set(name, [...(groups.get(name) ?? []), node]);
  }
  return [...groups].map(([name, group]) => {
    const [first] = group;
    const key = `${prefix}/${name}`;
    const node = together(key, first?.kind ?? 'stage', first?.label ?? '', group);
    const below = () => group.flatMap((one) => one.children?.() ?? []);
    const isStage = first?.kind === 'stage';
    const isSession = first?.kind === 'session';
    return {
      ...node,
      agent: first?.agent ?? null,
      children: isStage
        ? () => byLabel(key, below(), log)
        : isSession
          ? () =>
              byLabel(
                key,
                below().flatMap((turn) => turn.children?.() ?? []),
                log,
              )
          : null,
    };
  });
}

const isAny = (nodes: TraceNode[], outcome: Outcome) =>
  nodes.some((node) => node.outcome === outcome);

/** Of several nodes, the first of these that one of them has. */
const worst: Outcome[] = ['open', 'waits', 'bad', 'stopped'];

function together(key: string, kind: TraceKind, label: string, nodes: TraceNode[]): TraceNode {
  return {
    key,
    kind,
    label,
    agent: null,
    count: nodes.length,
    start: nodes[0]?.start ?? 0,
    end: nodes.some((node) => node.end === null) ? null : (nodes.at(-1)?.end ?? null),
    durationMs: nodes.reduce((sum, node) => sum + (node.durationMs ?? 0), 0),
    waits: nodes.flatMap(({ waits }) => waits),
    spend: nodes.reduce((sum, node) => plus(sum, node.spend), noSpend()),
    errors: nodes.reduce((sum, node) => sum + node.errors, 0),
    outcome: worst.find((one) => isAny(nodes, one)) ?? 'good',
    seq: nodes[0]?.seq ?? 0,
    children: null,
  };
}

function stageOf(log: RunLog, visit: Visit, moment: Moment): TraceNode {
  const { left, seq } = moment;
  const then = visitSnapshot(log, visit, Number.isFinite(seq) ? seq : null);
  const key = `v${visit.step}.${visit.fromSeq}`;
  return {
    key,
    kind: 'stage',
    label: visit.node,
    agent: null,
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

const timeOf = (log: RunLog, seq: number) => (Number.isFinite(seq) ? timeAt(log, seq) : null);

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

function sessionsOf(
  log: RunLog,
  visit: Visit,
  items: Item[],
  key: string,
  moment: Moment,
): TraceNode[] {
  const sessions = new Map<string, Item[]>();
  for (const item of items) {
    if (item.kind !== 'text' && item.kind !== 'call') continue;
    const name = `${item.agent} ${item.session ?? ''}`;
    const list = sessions.get(name);
    if (list) list.push(item);
    else sessions.set(name, [item]);
  }
  return [...sessions].map(([name, own]) => {
    const turns = turnsOf(log, own, visit, `${key}/${name}`, moment);
    const agent = own[0]?.agent ?? '';
    const node = together(`${key}/${name}`, 'session', agent, turns);
    return { ...node, agent, count: 1, children: () => turns };
  });
}

/** A turn is what an agent says, and the calls that come of it. */
function turnsOf(
  log: RunLog,
  items: Item[],
  visit: Visit,
  key: string,
  moment: Moment,
): TraceNode[] {
  const turns: { said: Extract<Item, { kind: 'text' }> | null; calls: CallItem[] }[] = [];
  for (const item of items) {
    if (item.kind === 'text') turns.push({ said: item, calls: [] });
    else if (item.kind === 'call') {
      const last = turns.at(-1);
      if (last) last.calls.push(item);
      else turns.push({ said: null, calls: [item] });
    }
  }
  return turns.map(({ said, calls }, index) => {
    const name = `${key}/t${index}`;
    const below = calls.map((call) => callOf(log, call, visit, name, moment));
    const first = below[0];
    const last = below.at(-1);
    const usage = said?.usage ?? null;
    const thought = usage?.duration_ms ?? 0;
    const start = said ? millis(said.at) - thought : (first?.start ?? 0);
    const end = last ? last.end : said ? millis(said.at) : null;
    const text = said ? oneLine(textOf(said.message)) : '';
    return {
      key: name,
      kind: 'turn',
      label: text === '' ? `Turn ${index + 1}` : text,
      agent: said?.agent ?? calls[0]?.agent ?? null,
      count: 1,
      start,
      end,
      waits: [],
      durationMs: thought + below.reduce((sum, call) => sum + (call.durationMs ?? 0), 0),
      spend: usage ? spendOf(usage) : noSpend(),
      errors: below.reduce((sum, call) => sum + call.errors, 0),
      outcome: (['open', 'waits', 'stopped'] as const).find((one) => isAny(below, one)) ?? 'good',
      seq: said?.seq ?? calls[0]?.seq ?? 0,
      children: below.length === 0 ? null : () => below,
    };
  });
}

function callOf(log: RunLog, item: CallItem, visit: Visit, key: string, moment: Moment): TraceNode {
  const { left, seq } = moment;
  const start = millis(item.at);
  const isBack = item.endSeq !== null && item.endSeq <= seq;
  const result = isBack ? item.result : null;
  const ended = isBack ? log.eventAt(item.endSeq ?? 0) : undefined;
  const isOpen = result === null && (visit.toSeq === null || visit.toSeq > seq);
  const end = ended ? millis(ended.at) : isOpen ? timeOf(log, seq) : start;
  const isBad = result?.error != null;
  return {
    key: `${key}/c${item.seq}`,
    kind: 'call',
    label: item.call.tool,
    agent: item.agent,
    count: 1,
    start,
    end,
    durationMs: result?.duration_ms ?? (end === null ? null : end - start),
    waits: [],
    spend: noSpend(),
    errors: isBad ? 1 : 0,
    outcome: isOpen ? (left === 'bad' ? 'stopped' : left) : isBad ? 'bad' : 'good',
    seq: item.seq,
    children: null,
  };
}
