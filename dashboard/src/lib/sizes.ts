// Heights of many rows. Where a row begins, and which row is at a place, are answered in logarithmic time, and so is a
// row that is added at the end or changes its height: nothing here looks at all rows again when one arrives.

const FIRST_CAPACITY = 1024;

export class Sizes {
  private sizes = new Float64Array(FIRST_CAPACITY);
  /** A Fenwick tree: `tree[i]` is the sum of the last `i & -i` sizes up to the i-th, counted from 1. */
  private tree = new Float64Array(FIRST_CAPACITY + 1);
  private length = 0;

  get count(): number {
    return this.length;
  }

  get total(): number {
    return this.startOf(this.length);
  }

  /** Forgets all from the `count`-th on. */
  cut(count: number): void {
    this.length = Math.min(this.length, count);
  }

  append(size: number): void {
    if (this.length === this.sizes.length) this.grow();
    this.sizes[this.length] = size;
    this.length += 1;
    const place = this.length;
    this.tree[place] = size + this.sum(place - 1) - this.sum(place - (place & -place));
  }

  at(index: number): number {
    return index < this.length ? (this.sizes[index] ?? 0) : 0;
  }

  /** Returns by how much it grew. */
  set(index: number, size: number): number {
    if (index < 0 || index >= this.length) return 0;
    const delta = size - (this.sizes[index] ?? 0);
    if (delta === 0) return 0;
    this.sizes[index] = size;
    for (let place = index + 1; place <= this.length; place += place & -place) {
      this.tree[place] = (this.tree[place] ?? 0) + delta;
    }
    return delta;
  }

  /** The sum of all before it. */
  startOf(index: number): number {
    return this.sum(Math.min(index, this.length));
  }

  /** The row that covers this place; the last one beyond the end. */
  indexAt(offset: number): number {
    let place = 0;
    let rest = offset;
    let step = 1 << Math.floor(Math.log2(Math.max(this.length, 1)));
    while (step > 0) {
      const next = place + step;
      const part = this.tree[next] ?? 0;
      if (next <= this.length && part <= rest) {
        place = next;
        rest -= part;
      }
      step >>= 1;
    }
    return Math.max(0, Math.min(place, this.length - 1));
  }

  private sum(count: number): number {
    let sum = 0;
    for (let place = count; place > 0; place -= place & -place) sum += this.tree[place] ?? 0;
    return sum;
  }

  private grow(): void {
    const sizes = new Float64Array(this.sizes.length * 2);
    const tree = new Float64Array(sizes.length + 1);
    sizes.set(this.sizes);
    tree.set(this.tree);
    this.sizes = sizes;
    this.tree = tree;
  }
}
