// A visit of a stage as it was at a moment: what came later is not in it.

import { millis } from '@/model/event/event';
import { hasFailed } from '@/model/event/tool-result';
import { lengthOf, type TimeRange, waitsIn } from '@/model/event/waits';
import type { RunLog } from '@/model/run/run-log';
import { noSpend, plus, spendOf } from '@/model/run/run-view';
import type { Spend } from '@/wire/log/Spend';
import type { Item, Visit } from './transcript';

export type VisitSnapshot = {
  /** It had not ended. */
  isOpen: boolean;
  start: number;
  /** `null` while it lasts. */
  end: number | null;
  /** At work; `null` while it lasts. */
  workMs: number | null;
  /** When a person was waited for. */
  waits: TimeRange[];
  items: Item[];
  agents: string[];
  spend: Spend;
  errors: number;
};

export function visitSnapshot(log: RunLog, visit: Visit, at: number | null): VisitSnapshot {
  const isOpen = visit.toSeq === null || (at !== null && visit.toSeq > at);
  const start = millis(visit.startedAt);
  const then = at === null ? null : timeAt(log, at);
  const end = isOpen || visit.endedAt === null ? then : millis(visit.endedAt);
  const waits = waitsIn(log.facts.waits, { from: start, to: end }, at ?? undefined, then);
  const shared = { isOpen, start, end, waits };
  if (at === null || !isOpen) {
    const { items, agents, spend, errors, durationMs } = visit;
    return { ...shared, items, agents, spend, errors, workMs: isOpen ? null : durationMs };
  }
  const items = visit.items.filter(({ seq }) => seq <= at);
  return {
    ...shared,
    items,
    agents: [...new Set(items.filter(({ kind }) => kind !== 'note').map(({ agent }) => agent))],
    spend: spentBy(log, visit, at),
    errors: items.filter((item) => isFailedCall(item, at)).length,
    workMs: end === null ? null : Math.max(0, end - start - lengthOf(waits, end)),
  };
}

/** When the last event up to `seq` was. */
export function timeAt(log: RunLog, seq: number): number | null {
  const last = log.events[log.indexAfter(seq) - 1];
  return last ? millis(last.at) : null;
}

function spentBy(log: RunLog, { step }: Visit, at: number): Spend {
  return log.facts.usages
    .filter((usage) => usage.step === step && usage.seq <= at)
    .reduce((sum, { usage }) => plus(sum, spendOf(usage)), noSpend());
}

function isFailedCall(item: Item, at: number): boolean {
  if (item.kind !== 'call' || !item.result || item.endSeq === null) return false;
  return hasFailed(item.result) && item.endSeq <= at;
}
