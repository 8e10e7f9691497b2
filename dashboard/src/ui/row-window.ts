// Which rows of a long list are seen, and where they stand. Knows no React. Rows that are added at the end, and rows that
// turn out to be higher than thought, cost the logarithm of their number, never the whole list.

import { Sizes } from '@/lib/sizes';

export type Key = string | number;
export type Align = 'auto' | 'start' | 'center' | 'end';

export type RowSource = {
  count: number;
  gap: number;
  itemKey: (index: number) => Key;
  estimateSize: (index: number) => number;
};

export class RowWindow {
  private readonly sizes = new Sizes();
  private readonly measured = new Map<Key, number>();
  private first: Key | undefined;
  private last: Key | undefined;
  private gap = 0;

  get total(): number {
    return Math.max(0, this.sizes.total - (this.sizes.count > 0 ? this.gap : 0));
  }

  /** Takes the rows as they are now. Only when others than the last have changed, all are laid out again. */
  sync({ count, gap, itemKey, estimateSize }: RowSource): void {
    const known = this.sizes.count;
    const isLonger =
      known > 0 &&
      count >= known &&
      gap === this.gap &&
      itemKey(0) === this.first &&
      itemKey(known - 1) === this.last;
    if (!isLonger) this.sizes.clear();
    this.gap = gap;
    for (let index = this.sizes.count; index < count; index += 1) {
      const size = this.measured.get(itemKey(index)) ?? estimateSize(index);
      this.sizes.append(size + gap);
    }
    this.first = count > 0 ? itemKey(0) : undefined;
    this.last = count > 0 ? itemKey(count - 1) : undefined;
  }

  isMeasured(key: Key): boolean {
    return this.measured.has(key);
  }

  /** Returns by how much the row grew. */
  measure(index: number, key: Key, size: number): number {
    this.measured.set(key, size);
    return this.sizes.set(index, size + this.gap);
  }

  startOf(index: number): number {
    return this.sizes.startOf(index);
  }

  range(top: number, height: number, overscan: number): { from: number; to: number } {
    const { count } = this.sizes;
    if (count === 0) return { from: 0, to: 0 };
    return {
      from: Math.max(0, this.sizes.indexAt(top) - overscan),
      to: Math.min(count, this.sizes.indexAt(top + height) + 1 + overscan),
    };
  }

  /** Where to scroll so that the row is seen. */
  scrollFor(index: number, align: Align, top: number, height: number): number {
    const start = this.sizes.startOf(index);
    const size = this.sizes.at(index) - this.gap;
    if (align === 'start') return start;
    if (align === 'end') return start + size - height;
    if (align === 'center') return start - Math.max(0, (height - size) / 2);
    if (start < top) return start;
    return start + size > top + height ? Math.min(start, start + size - height) : top;
  }
}
