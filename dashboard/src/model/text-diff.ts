// What changed between two texts, line by line: Myers' shortest edit script, and git's way to write it down.
// Bounded: texts that differ in more than `MOST_EDITS` lines are shown as replaced as a whole.

export type LineEdit = { kind: 'same' | 'gone' | 'new'; text: string };

const MOST_EDITS = 2_000;

export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The lines of both texts in order. */
export function lineEdits(before: string, after: string): LineEdit[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  const most = Math.min(a.length, b.length) - head;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const same = (text: string): LineEdit => ({ kind: 'same', text });
  const middle = middleEdits(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
}

function middleEdits(a: string[], b: string[]): LineEdit[] {
  const replaced = () => [
    ...a.map((text): LineEdit => ({ kind: 'gone', text })),
    ...b.map((text): LineEdit => ({ kind: 'new', text })),
  ];
  if (a.length === 0 || b.length === 0) return replaced();
  const trace = search(a, b);
  return trace ? walkBack(a, b, trace) : replaced();
}

/** How far each diagonal was reached before the edit with this number: from `-edit - 1` to `edit + 1`. */
type Reach = { edit: number; xs: Int32Array };

const reached = ({ edit, xs }: Reach, diagonal: number) => xs[diagonal + edit + 1] ?? 0;

/** One reach for each edit; `null` when there are too many. */
function search(a: string[], b: string[]): Reach[] | null {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  const zero = most + 1;
  const xs = new Int32Array(2 * most + 3);
  const trace: Reach[] = [];
  for (let edit = 0; edit <= most; edit += 1) {
    const reach = { edit, xs: xs.slice(zero - edit - 1, zero + edit + 2) };
    trace.push(reach);
    for (let diagonal = -edit; diagonal <= edit; diagonal += 2) {
      let x = isDown(reach, diagonal)
        ? reached(reach, diagonal + 1)
        : reached(reach, diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      xs[zero + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return trace;
    }
  }
  return null;
}

function isDown(reach: Reach, diagonal: number): boolean {
  if (diagonal === -reach.edit) return true;
  return diagonal !== reach.edit && reached(reach, diagonal - 1) < reached(reach, diagonal + 1);
}

function walkBack(a: string[], b: string[], trace: Reach[]): LineEdit[] {
  const edits: LineEdit[] = [];
  let x = a.length;
  let y = b.length;
  for (const reach of trace.toReversed()) {
    const isFirst = reach.edit === 0;
    const from = isDown(reach, x - y) ? x - y + 1 : x - y - 1;
    const fromX = isFirst ? 0 : reached(reach, from);
    const fromY = isFirst ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      edits.push({ kind: 'same', text: a[x] ?? '' });
    }
    if (isFirst) break;
    if (x === fromX) edits.push({ kind: 'new', text: b[y - 1] ?? '' });
    else edits.push({ kind: 'gone', text: a[x - 1] ?? '' });
    x = fromX;
    y = fromY;
  }
  return edits.reverse();
}

/** As `git diff` writes it, with so many lines around; empty when nothing differs. */
export function unifiedDiff(before: string, after: string, name = 'text', around = 3): string {
  const edits = lineEdits(before, after);
  const hunks = hunksOf(edits, around);
  if (hunks.length === 0) return '';
  const lines = [`diff --git a/${name} b/${name}`, `--- a/${name}`, `+++ b/${name}`];
  const signs = { same: ' ', gone: '-', new: '+' };
  for (const { from, to } of hunks) {
    const [oldStart, newStart] = countLines(edits.slice(0, from));
    const part = edits.slice(from, to);
    const [oldCount, newCount] = countLines(part);
    lines.push(
      `@@ -${startOf(oldStart, oldCount)},${oldCount} +${startOf(newStart, newCount)},${newCount} @@`,
      ...part.map((edit) => signs[edit.kind] + edit.text),
    );
  }
  return `${lines.join('\n')}\n`;
}

const startOf = (before: number, count: number) => (count === 0 ? before : before + 1);

function countLines(edits: LineEdit[]): [number, number] {
  return [
    edits.filter((edit) => edit.kind !== 'new').length,
    edits.filter((edit) => edit.kind !== 'gone').length,
  ];
}

function hunksOf(edits: LineEdit[], around: number): { from: number; to: number }[] {
  const hunks: { from: number; to: number }[] = [];
  edits.forEach((edit, index) => {
    if (edit.kind === 'same') return;
    const from = Math.max(0, index - around);
    const to = Math.min(edits.length, index + around + 1);
    const last = hunks.at(-1);
    if (last && from <= last.to) last.to = to;
    else hunks.push({ from, to });
  });
  return hunks;
}

/** Lines that came and went: `{ added: 3, removed: 1 }`. */
export function diffSize(before: string, after: string): { added: number; removed: number } {
  const edits = lineEdits(before, after);
  return {
    added: edits.filter((edit) => edit.kind === 'new').length,
    removed: edits.filter((edit) => edit.kind === 'gone').length,
  };
}
