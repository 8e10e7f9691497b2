import { describe, expect, it } from 'vitest';
import { barIn, panned, ticksOf, zoomed } from './timeline';

const whole = { from: 1_000, to: 2_000 };

describe('a part of time', () => {
  it.each([
    ['around its middle', 0.5, 0.5, { from: 1_250, to: 1_750 }],
    ['at its start', 0.5, 0, { from: 1_000, to: 1_500 }],
    ['not beyond the whole', 4, 0.5, whole],
    ['not to nothing', 0.000_001, 0, { from: 1_000, to: 1_005 }],
  ])('is zoomed %s', (_, factor, around, expected) => {
    expect(zoomed(whole, whole, factor, around)).toEqual(expected);
  });

  it.each([
    [0.5, { from: 1_500, to: 1_700 }],
    [-9, { from: 1_000, to: 1_200 }],
    [9, { from: 1_800, to: 2_000 }],
  ])('is moved by %d of its length', (by, expected) => {
    expect(panned({ from: 1_400, to: 1_600 }, whole, by)).toEqual(expected);
  });

  it.each([
    [1_000, 2_000, { left: 0, width: 1 }],
    [1_250, 1_500, { left: 0.25, width: 0.25 }],
    [0, 1_500, { left: 0, width: 0.5 }],
    [1_500, 1_500, { left: 0.5, width: 0 }],
    [0, 500, null],
    [2_001, 2_500, null],
  ])('has a bar from %d to %d', (start, end, expected) => {
    expect(barIn(whole, start, end)).toEqual(expected);
  });

  it.each([
    [{ from: 0, to: 1_000 }, [0, 500, 1_000]],
    [{ from: 130, to: 170 }, [130, 140, 150, 160, 170]],
    [{ from: 0, to: 7_000 }, [0, 2_000, 4_000, 6_000]],
  ])('has round marks', (span, expected) => {
    expect(ticksOf(span, 0, 4)).toEqual(expected);
  });
});
