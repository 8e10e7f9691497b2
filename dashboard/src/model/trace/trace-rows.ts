// The tree of a run as rows to draw, and what stands in them.

import { lengthOf } from '@/model/event/waits';
import type { Spend } from '@/wire/log/Spend';
import { errorsOf, type TraceNode } from './trace-node';

export type TraceRow = { node: TraceNode; depth: number; isOpen: boolean };

/** The rows that are seen with these nodes open. */
export function rowsOf(root: TraceNode, opened: ReadonlySet<string>): TraceRow[] {
  const rows: TraceRow[] = [];
  const add = (node: TraceNode, depth: number) => {
    const isOpen = node.kind === 'run' || opened.has(node.key);
    rows.push({ node, depth, isOpen });
    if (isOpen) for (const child of node.children?.() ?? []) add(child, depth + 1);
  };
  add(root, 0);
  return rows;
}

export const priceOf = ({ usd, unpriced_calls, calls }: Spend): number | null =>
  usd === 0 && unpriced_calls > 0 ? null : calls === 0 && usd === 0 ? 0 : usd;

/** Time at work and time that a person was waited for. */
export function timesOf(node: TraceNode, now: number): { work: number; waited: number } {
  const waited = lengthOf(node.waits, node.end ?? now);
  const goesOn = node.end === null && node.count === 1;
  if (goesOn) return { work: Math.max(0, now - node.start - waited), waited };
  return { work: node.durationMs ?? 0, waited };
}

/** More are not opened at once: each has rows of its own. */
const MAX_OPENED = 500;

/** The nodes to open so that every call that failed is seen. */
export function waysToFailures(root: TraceNode): string[] {
  const keys: string[] = [];
  const look = (node: TraceNode) => {
    const below = (node.errors > 0 && node.children?.()) || [];
    if (errorsOf(below) === 0 || keys.length >= MAX_OPENED) return;
    keys.push(node.key);
    below.forEach(look);
  };
  look(root);
  return keys;
}

/** The next row after `from` that has failed itself, around the end; -1 for none. */
export function nextFailure(rows: readonly TraceRow[], from: number): number {
  const hasFailed = ({ node }: TraceRow) => node.outcome === 'bad';
  const next = rows.findIndex((row, index) => index > from && hasFailed(row));
  return next < 0 ? rows.findIndex(hasFailed) : next;
}
