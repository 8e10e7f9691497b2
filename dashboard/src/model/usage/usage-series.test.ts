import { describe, expect, it } from 'vitest';
import type { DayUsage } from '@/wire/DayUsage';
import type { Spent } from '@/wire/Spent';
import type { Usage } from '@/wire/Usage';
import { rangeOf, spanOf } from './usage-range';
import {
  colours,
  coloursOf,
  daysBetween,
  knownCost,
  OTHER,
  runsIn,
  seriesOf,
  sharesOf,
  successByDay,
  successRate,
} from './usage-series';

const spent = (cost_usd: number, tokens = 100, unpriced_calls = 0): Spent => ({
  tokens,
  cost_usd,
  calls: 2,
  unpriced_calls,
  estimated_calls: 0,
});
const none = { completed: 0, failed: 0, cancelled: 0, open: 0 };

function day(name: string, models: Record<string, Spent>, outcomes = {}): DayUsage {
  return { day: name, models, agents: {}, profiles: {}, outcomes: { ...none, ...outcomes } };
}

function usage(daily: DayUsage[]): Usage {
  const models: Record<string, Spent> = {};
  for (const one of daily) {
    for (const [name, more] of Object.entries(one.models)) {
      const before = models[name];
      models[name] = before
        ? {
            tokens: before.tokens + more.tokens,
            cost_usd: (before.cost_usd ?? 0) + (more.cost_usd ?? 0),
            calls: before.calls + more.calls,
            estimated_calls: 0,
            unpriced_calls: before.unpriced_calls + more.unpriced_calls,
          }
        : more;
    }
  }
  const total = spent(0);
  return { total, runs: [], agents: {}, models, profiles: {}, days: {}, daily, outcomes: none };
}

const cost = { group: 'model', measure: 'cost' } as const;

describe('series', () => {
  it.each([
    ['2026-02-27', '2026-03-01', ['2026-02-27', '2026-02-28', '2026-03-01']],
    ['2026-03-28', '2026-03-30', ['2026-03-28', '2026-03-29', '2026-03-30']],
    ['2026-01-02', '2026-01-01', []],
  ])('has every day from %s to %s', (first, last, days) =>
    expect(daysBetween(first, last)).toEqual(days),
  );

  it('fills the days without a run, up to today', () => {
    const of = usage([day('2026-01-01', { a: spent(1) }), day('2026-01-03', { a: spent(2) })]);
    const { days, series } = seriesOf(of, { last: '2026-01-04' }, cost);
    expect(days).toHaveLength(4);
    expect(series).toEqual([{ name: 'a', values: [1, 0, 2, 0], total: 3 }]);
  });

  it('begins where the range begins', () => {
    const of = usage([day('2026-01-03', { a: spent(2) })]);
    const span = { first: '2026-01-02', last: '2026-01-03' };
    expect(seriesOf(of, span, cost).days).toEqual(['2026-01-02', '2026-01-03']);
    expect(seriesOf(usage([]), span, cost)).toEqual({ days: expect.anything(), series: [] });
  });

  it('never shows an unknown price as nothing', () => {
    const of = usage([day('2026-01-01', { a: spent(0, 50, 2), b: spent(1, 10, 1) })]);
    const [b, a] = seriesOf(of, { last: '2026-01-01' }, cost).series;
    expect(b).toEqual({ name: 'b', values: [1], total: 1 });
    expect(a).toEqual({ name: 'a', values: [null], total: null });
    expect(knownCost({ ...spent(0), calls: 0 })).toBe(0);
  });

  it('puts the small ones together, but not one alone', () => {
    const models = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name, index) => [name, spent(4 - index)]),
    );
    const of = usage([day('2026-01-01', models)]);
    const names = (most: number) =>
      seriesOf(of, { last: '2026-01-01' }, { ...cost, most }).series.map((one) => one.name);
    expect(names(2)).toEqual(['a', 'b', OTHER]);
    expect(names(3)).toEqual(['a', 'b', 'c', 'd']);
    const other = seriesOf(of, { last: '2026-01-01' }, { ...cost, most: 2 }).series[2];
    expect(other?.total).toBe(3);
  });

  it('counts runs by how they came out', () => {
    const of = usage([day('2026-01-01', {}, { completed: 2, open: 1 })]);
    const { series } = seriesOf(of, { last: '2026-01-02' }, { ...cost, measure: 'runs' });
    expect(series.map(({ name, total }) => [name, total])).toEqual([
      ['completed', 2],
      ['failed', 0],
      ['cancelled', 0],
      ['open', 1],
    ]);
  });

  it('ranks what has no price by its tokens', () => {
    const of = usage([day('2026-01-01', { a: spent(0, 5, 2), b: spent(0, 9, 2) })]);
    expect(sharesOf(of, 'model', 'cost').map(({ name }) => name)).toEqual(['b', 'a']);
  });
});

describe('success', () => {
  it.each([
    [{ completed: 3, failed: 1, cancelled: 9, open: 9 }, 0.75],
    [{ completed: 0, failed: 0, cancelled: 1, open: 1 }, null],
  ])('of %j is %s', (outcomes, rate) => expect(successRate(outcomes)).toBe(rate));

  it('has gaps on days on which nothing ended', () => {
    const of = usage([day('2026-01-01', {}, { completed: 1, failed: 1 })]);
    expect(successByDay(of, { last: '2026-01-02' }).rates).toEqual([0.5, null]);
    expect(runsIn({ completed: 1, failed: 2, cancelled: 3, open: 4 })).toBe(10);
  });
});

describe('colours', () => {
  it('belong to a name, and differ while there are enough', () => {
    const few = coloursOf(['gpt', 'opus']);
    expect(coloursOf(['opus', 'gpt'])).toEqual(few);
    const many = coloursOf(Array.from({ length: colours }, (_, index) => `m${index}`));
    expect(new Set(many.values()).size).toBe(colours);
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    const shown = names.slice(12, 18);
    const all = coloursOf(names, shown);
    expect(new Set(shown.map((name) => all.get(name))).size).toBe(6);
    expect(all.size).toBe(20);
    expect(coloursOf([OTHER], [OTHER]).size).toBe(0);
  });
});

describe('ranges', () => {
  const now = Date.UTC(2026, 0, 31, 12, 34);
  const params = (text: string) => new URLSearchParams(text);
  it.each([
    ['', { since: '2026-01-02T00:00:00Z' }, '2026-01-02'],
    ['range=7d', { since: '2026-01-25T00:00:00Z' }, '2026-01-25'],
    ['range=24h', { since: '2026-01-30T12:00:00Z' }, '2026-01-30'],
    ['range=all', {}, undefined],
    ['range=rubbish', { since: '2026-01-02T00:00:00Z' }, '2026-01-02'],
    [
      'range=custom&from=2026-01-05&to=2026-01-06',
      { since: '2026-01-05T00:00:00Z', until: '2026-01-07T00:00:00Z' },
      '2026-01-05',
    ],
    ['range=custom&from=rubbish', {}, undefined],
  ])('%s asks for %j', (text, filter, first) => {
    const wanted = spanOf(rangeOf(params(text)), now);
    expect(wanted.filter).toEqual(filter);
    expect(wanted.span.first).toBe(first);
  });
});
