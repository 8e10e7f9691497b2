import { describe, expect, it } from 'vitest';
import type { UsageFact } from '@/model/run/facts';
import { Transcript } from '@/model/stream/transcript';
import { costPoints, costRows, knownUsd } from './cost';

const used = (seq: number, agent: string, tokens: number, cost: number | null): UsageFact => ({
  seq,
  at: '',
  step: null,
  agent,
  usage: {
    input_tokens: tokens,
    output_tokens: 0,
    cost_usd: cost,
    model: cost === null ? null : 'm',
  },
});

const usages = [used(1, 'a', 100, 0.5), used(2, 'b', 900, null), used(3, 'a', 10, 0.25)];

describe('what was spent', () => {
  it('grows turn by turn, up to the moment that is asked for', () => {
    const totals = (at: number | null) =>
      costPoints(usages, new Transcript(), at).map(({ total }) => [
        total.usd,
        total.tokens,
        total.unpriced_calls,
      ]);
    expect(totals(null)).toEqual([
      [0.5, 100, 0],
      [0.5, 1000, 1],
      [0.75, 1010, 1],
    ]);
    expect(totals(2)).toHaveLength(2);
  });

  it('is added up by agent and by model, an unknown price apart', () => {
    const points = costPoints(usages, new Transcript(), null);
    expect(costRows(points, 'agent').map((row) => [row.label, knownUsd(row.spend)])).toEqual([
      ['a', 0.75],
      ['b', null],
    ]);
    expect(costRows(points, 'model').map((row) => row.label)).toEqual(['m', 'Unnamed']);
  });
});
