// A part of a run in its tree, and several of them as one.

import type { TimeRange } from '@/model/event/waits';
import { noSpend, plus } from '@/model/run/run-view';
import type { Spend } from '@/wire/log/Spend';

export type TraceKind = 'run' | 'stage' | 'session' | 'turn' | 'call';
/** `stopped`: the run ended before it did. */
export type Outcome = 'good' | 'bad' | 'open' | 'waits' | 'stopped';

export type TraceNode = {
  key: string;
  kind: TraceKind;
  label: string;
  /** What it is about, in a line: the argument of a call, the task of a sub-agent, why it failed. */
  about: string | null;
  agent: string | null;
  /** The conversation, to be read as a whole. */
  session: string | null;
  /** How many nodes this one stands for. */
  count: number;
  /** Milliseconds since the epoch; no end while it lasts. */
  start: number;
  end: number | null;
  /** At work; of several, all together. */
  durationMs: number | null;
  /** When a person was waited for. */
  waits: TimeRange[];
  /** With that of everything below. */
  spend: Spend;
  /** Calls that failed, with those below. */
  errors: number;
  outcome: Outcome;
  seq: number;
  children: (() => TraceNode[]) | null;
};

export const isAny = (nodes: readonly TraceNode[], outcome: Outcome) =>
  nodes.some((node) => node.outcome === outcome);

/** Of several nodes, the first of these that one of them has. */
const WORST: Outcome[] = ['open', 'waits', 'bad', 'stopped'];

/** The last end; none while one of them lasts. */
export function endOf(nodes: readonly TraceNode[]): number | null {
  let last: number | null = null;
  for (const { end } of nodes) {
    if (end === null) return null;
    last = Math.max(last ?? end, end);
  }
  return last;
}

export const spendOfAll = (nodes: readonly TraceNode[]): Spend =>
  nodes.reduce((sum, node) => plus(sum, node.spend), noSpend());

export const errorsOf = (nodes: readonly TraceNode[]): number =>
  nodes.reduce((sum, node) => sum + node.errors, 0);

/** One node for several. */
export function together(
  key: string,
  kind: TraceKind,
  label: string,
  nodes: readonly TraceNode[],
): TraceNode {
  return {
    key,
    kind,
    label,
    about: null,
    agent: null,
    session: null,
    count: nodes.length,
    start: nodes[0]?.start ?? 0,
    end: endOf(nodes),
    durationMs: nodes.reduce((sum, node) => sum + (node.durationMs ?? 0), 0),
    waits: nodes.flatMap(({ waits }) => waits),
    spend: spendOfAll(nodes),
    errors: errorsOf(nodes),
    outcome: WORST.find((one) => isAny(nodes, one)) ?? 'good',
    seq: nodes[0]?.seq ?? 0,
    children: null,
  };
}

/** How long they took: those that ran side by side took the time from the first start to the last end. */
export function timeTaken(nodes: readonly TraceNode[]): number {
  let total = 0;
  let group: { from: number; to: number; sum: number; count: number } | null = null;
  const close = () => {
    if (group) total += group.count > 1 ? group.to - group.from : group.sum;
  };
  for (const { start, end, durationMs } of [...nodes].sort((a, b) => a.start - b.start)) {
    const to = end ?? start;
    const sum = durationMs ?? 0;
    if (group && start < group.to) {
      group.to = Math.max(group.to, to);
      group.count += 1;
    } else {
      close();
      group = { from: start, to, sum, count: 1 };
    }
  }
  close();
  return total;
}
