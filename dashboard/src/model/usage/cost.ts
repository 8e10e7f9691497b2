// What a run has spent, by what one may ask, and how it grew. An unknown price is counted apart, never as 0.

import type { UsageFact } from '@/model/run/facts';
import { noSpend, plus, spendOf } from '@/model/run/run-view';
import type { Transcript } from '@/model/stream/transcript';
import type { Spend } from '@/wire/log/Spend';

export type CostRow = { key: string; label: string; spend: Spend };

export type CostBy = 'agent' | 'model' | 'stage' | 'task';

/** A turn of an agent, with what it took and what everything had taken by then. */
export type CostPoint = {
  seq: number;
  at: string;
  agent: string;
  model: string | null;
  stage: string | null;
  task: string | null;
  spend: Spend;
  total: Spend;
  durationMs: number | null;
};

export function costPoints(
  usages: UsageFact[],
  transcript: Transcript,
  at: number | null,
): CostPoint[] {
  let total = noSpend();
  const points: CostPoint[] = [];
  for (const { seq, at: time, agent, usage, step } of usages) {
    if (at !== null && seq > at) break;
    const visit = step === null ? undefined : transcript.visits.get(step);
    const spend = spendOf(usage);
    total = plus(total, spend);
    points.push({
      seq,
      at: time,
      agent,
      model: usage.model ?? null,
      stage: visit?.node ?? null,
      task: visit?.task ? `Task ${visit.task.index + 1}: ${visit.task.title}` : null,
      spend,
      total,
      durationMs: usage.duration_ms ?? null,
    });
  }
  return points;
}

const named: Record<CostBy, (point: CostPoint) => string> = {
  agent: ({ agent }) => agent,
  model: ({ model }) => model ?? 'Unnamed',
  stage: ({ stage }) => stage ?? 'Outside stages',
  task: ({ task, stage }) => task ?? (stage ? 'Before the first task' : 'Outside tasks'),
};

/** The dearest first; where nothing has a price, by tokens. */
export function costRows(points: CostPoint[], by: CostBy): CostRow[] {
  const rows = new Map<string, CostRow>();
  for (const point of points) {
    const key = named[by](point);
    const row = rows.get(key) ?? { key, label: key, spend: noSpend() };
    row.spend = plus(row.spend, point.spend);
    rows.set(key, row);
  }
  return [...rows.values()].sort(
    (a, b) => b.spend.usd - a.spend.usd || b.spend.tokens - a.spend.tokens,
  );
}

/** `null` when no call of it has a known price. */
export function knownUsd(spend: Spend): number | null {
  return spend.calls > 0 && spend.unpriced_calls >= spend.calls ? null : spend.usd;
}
