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

/** So many rows at the end may change without all being laid out again. */
const TAIL = 8;

export class RowWindow {
  private readonly sizes = new Sizes();
  private readonly measured = new Map<Key, number>();
  private readonly keys: Key[] = [];
  private gap = 0;

  get total(): number {
    return Math.max(0, this.sizes.total - (this.sizes.count > 0 ? this.gap : 0));
  }

  /** Takes the rows as they are now. Only when others than the last few have changed, all are laid out again. */
  sync({ count, gap, itemKey, estimateSize }: RowSource): void {
    const kept = gap === this.gap ? this.same(count, itemKey) : 0;
    this.sizes.cut(kept);
    this.keys.length = kept;
    this.gap = gap;
    for (let index = kept; index < count; index += 1) {
      const key = itemKey(index);
      this.keys.push(key);
      this.sizes.append((this.measured.get(key) ?? estimateSize(index)) + gap);
    }
  }

  /** How many rows from the first on are those that are known; a few at the end are compared, and the first. */
  private same(count: number, itemKey: RowSource['itemKey']): number {
    const both = Math.min(count, this.keys.length);
    if (both === 0 || itemKey(0) !== this.keys[0]) return 0;
    for (let index = both - 1; index >= Math.max(0, both - TAIL); index -= 1) {
      if (itemKey(index) === this.keys[index]) return index + 1;
    }
    return 0;
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
