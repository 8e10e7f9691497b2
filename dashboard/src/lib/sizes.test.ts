import { describe, expect, it } from 'vitest';
import { Sizes } from '@/lib/sizes';

function filled(list: number[]): Sizes {
  const sizes = new Sizes();
  for (const size of list) sizes.append(size);
  return sizes;
}

describe('the heights of rows', () => {
  it('know where each begins, however many there are', () => {
    const list = Array.from({ length: 5_000 }, (_, index) => (index * 7) % 41);
    const sizes = filled(list);
    let start = 0;
    for (const [index, size] of list.entries()) {
      expect(sizes.startOf(index)).toBe(start);
      start += size;
    }
    expect([sizes.count, sizes.total]).toEqual([5_000, start]);
  });

  it.each([
    [-5, 0],
    [0, 0],
    [9, 0],
    [10, 1],
    [29, 1],
    [30, 2],
    [1_000, 2],
  ])('know which is at %d', (offset, index) => {
    expect(filled([10, 20, 30]).indexAt(offset)).toBe(index);
  });

  it('follow a change, also after more have come', () => {
    const sizes = filled([10, 20, 30]);
    expect([sizes.set(1, 25), sizes.set(1, 25), sizes.set(9, 1)]).toEqual([5, 0, 0]);
    sizes.append(40);
    expect([0, 1, 2, 3, 4].map((index) => sizes.startOf(index))).toEqual([0, 10, 35, 65, 105]);
  });

  it.each([
    [0, [7], 7],
    [2, [10, 20, 7], 37],
    [9, [10, 20, 30, 7], 67],
  ])('are cut after %d, and go on', (count, list, total) => {
    const sizes = filled([10, 20, 30]);
    sizes.cut(count);
    sizes.append(7);
    expect(list.map((_, index) => sizes.at(index))).toEqual(list);
    expect([sizes.total, sizes.indexAt(total - 1)]).toEqual([total, list.length - 1]);
  });
});
