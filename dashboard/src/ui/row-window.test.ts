import { describe, expect, it, vi } from 'vitest';
import { RowWindow } from '@/ui/row-window';

function windowOf(keys: string[]) {
  const rows = new RowWindow();
  const estimateSize = vi.fn(() => 10);
  const sync = (list: string[], gap = 0) =>
    rows.sync({ count: list.length, gap, itemKey: (at) => list[at] ?? '', estimateSize });
  sync(keys);
  return { rows, sync, estimateSize };
}

const many = Array.from({ length: 1_000 }, (_, at) => `row ${at}`);

describe('the window over many rows', () => {
  it('looks only at what is new when rows are added, or the last ones change', () => {
    const { rows, sync, estimateSize } = windowOf([...many, 'live']);
    estimateSize.mockClear();
    sync([...many, 'more', 'live']);
    expect(estimateSize).toHaveBeenCalledTimes(2);
    expect(rows.total).toBe(10_020);
  });

  it('looks at nothing when rows at the end are gone', () => {
    const { rows, sync, estimateSize } = windowOf(many);
    estimateSize.mockClear();
    sync(many.slice(0, 600));
    expect([estimateSize.mock.calls.length, rows.total]).toEqual([0, 6_000]);
  });

  it('lays all out again when rows come in between, with the heights that are known', () => {
    const { rows, sync } = windowOf(many);
    expect(rows.measure(0, 'row 0', 25)).toBe(15);
    sync(['new', ...many]);
    expect([rows.startOf(1), rows.startOf(2), rows.total]).toEqual([10, 35, 10_025]);
    sync(many.slice(0, 3));
    expect(rows.total).toBe(45);
    sync([]);
    expect([rows.total, rows.range(0, 100, 5)]).toEqual([0, { from: 0, to: 0 }]);
  });

  it('draws what is seen, and a few around it', () => {
    const { rows } = windowOf(many);
    expect(rows.range(500, 100, 2)).toEqual({ from: 48, to: 63 });
    expect(rows.range(99_999, 100, 2)).toEqual({ from: 997, to: 1_000 });
  });

  it.each([
    ['start', 500, 500],
    ['end', 500, 410],
    ['center', 500, 455],
    ['auto', 500, 500],
    ['auto', 450, 450],
    ['auto', 100, 410],
  ] as const)('scrolls to a row: %s from %d', (align, top, expected) => {
    expect(windowOf(many).rows.scrollFor(50, align, top, 100)).toBe(expected);
  });

  it('leaves a gap between rows, and none at the end', () => {
    const { rows, sync } = windowOf(['a', 'b']);
    sync(['a', 'b'], 4);
    expect([rows.startOf(1), rows.total]).toEqual([14, 24]);
  });
});
