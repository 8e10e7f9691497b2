// What has changed between two texts: lines by Myers' algorithm, words by what two lines have in common at both ends.

import type { DiffChange, DiffHunk } from './unified-diff';

type Edit = { sign: ' ' | '-' | '+'; text: string };

/** Beyond so many steps the two texts have little in common: the rest is shown as replaced. */
const MOST_STEPS = 600;

/** The edits that make `after` of `before`. */
export function editsBetween(before: string[], after: string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start])
    start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const same = (text: string): Edit => ({ sign: ' ', text });
  return [
    ...before.slice(0, start).map(same),
    ...myers(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function myers(a: string[], b: string[]): Edit[] {
  const traces: Map<number, number>[] = [];
  const furthest = new Map<number, number>([[1, 0]]);
  const most = Math.min(a.length + b.length, MOST_STEPS);
  for (let depth = 0; depth <= most; depth += 1) {
    traces.push(new Map(furthest));
    for (let k = -depth; k <= depth; k += 2) {
      let x = goesDown(furthest, k, depth) ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkedBack(a, b, traces);
    }
  }
  return [
    ...a.map((text): Edit => ({ sign: '-', text })),
    ...b.map((text): Edit => ({ sign: '+', text })),
  ];
}

const at = (map: Map<number, number>, k: number) => map.get(k) ?? -1;

const goesDown = (furthest: Map<number, number>, k: number, depth: number) =>
  k === -depth || (k !== depth && at(furthest, k - 1) < at(furthest, k + 1));

function walkedBack(a: string[], b: string[], traces: Map<number, number>[]): Edit[] {
  const edits: Edit[] = [];
  let x = a.length;
  let y = b.length;
  for (let depth = traces.length - 1; depth >= 0; depth -= 1) {
    const furthest = traces[depth] ?? new Map<number, number>();
    const k = x - y;
    const before = goesDown(furthest, k, depth) ? k + 1 : k - 1;
    const fromX = depth === 0 ? 0 : at(furthest, before);
    const fromY = depth === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      edits.push({ sign: ' ', text: a[x] ?? '' });
    }
    if (depth === 0) break;
    if (x === fromX) {
      y -= 1;
      edits.push({ sign: '+', text: b[y] ?? '' });
    } else {
      x -= 1;
      edits.push({ sign: '-', text: a[x] ?? '' });
    }
  }
  return edits.reverse();
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** The hunks between two texts, each with `context` lines around. */
export function hunksBetween(before: string, after: string, context = 3): DiffHunk[] {
  const edits = editsBetween(linesOf(before), linesOf(after));
  const changes = numbered(edits);
  const hunks: DiffHunk[] = [];
  let from = -1;
  let to = -1;
  changes.forEach((change, index) => {
    if (change.type === 'normal') return;
    if (from >= 0 && index - to > context * 2) {
      hunks.push(hunkOf(changes, from, to, context));
      from = index;
    }
    if (from < 0) from = index;
    to = index;
  });
  if (from >= 0) hunks.push(hunkOf(changes, from, to, context));
  return hunks;
}

function numbered(edits: Edit[]): DiffChange[] {
  let oldLine = 0;
  let newLine = 0;
  return edits.map(({ sign, text: content }): DiffChange => {
    if (sign !== '+') oldLine += 1;
    if (sign !== '-') newLine += 1;
    if (sign === '+') return { type: 'insert', isInsert: true, content, lineNumber: newLine };
    if (sign === '-') return { type: 'delete', isDelete: true, content, lineNumber: oldLine };
    return {
      type: 'normal',
      isNormal: true,
      content,
      oldLineNumber: oldLine,
      newLineNumber: newLine,
    };
  });
}

function hunkOf(all: DiffChange[], from: number, to: number, context: number): DiffHunk {
  const start = Math.max(0, from - context);
  const changes = all.slice(start, to + context + 1);
  const before = all.slice(0, start);
  const count = (list: DiffChange[], other: 'insert' | 'delete') =>
    list.filter(({ type }) => type !== other).length;
  const oldLines = count(changes, 'insert');
  const newLines = count(changes, 'delete');
  const oldStart = count(before, 'insert') + (oldLines > 0 ? 1 : 0);
  const newStart = count(before, 'delete') + (newLines > 0 ? 1 : 0);
  const content = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
  return { content, heading: '', oldStart, oldLines, newStart, newLines, changes };
}

export type Range = { start: number; end: number };

/** The part of each line that the other has not, by words; `null` when they have too little in common to say. */
export function changedPart(before: string, after: string): { old: Range; new: Range } | null {
  const a = before.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  const b = after.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  )
    end += 1;
  const length = (words: string[]) => words.join('').length;
  const head = length(a.slice(0, start));
  const tail = length(a.slice(a.length - end));
  const common = before.slice(0, head) + before.slice(before.length - tail);
  if (common.trim().length * 3 < Math.min(before.trim().length, after.trim().length)) return null;
  return {
    old: { start: head, end: before.length - tail },
    new: { start: head, end: after.length - tail },
  };
}

/** The changed part of every line whose counterpart is clear: a run of removed lines beside as many added ones. */
export function changedParts(hunk: DiffHunk): Map<DiffChange, Range> {
  const parts = new Map<DiffChange, Range>();
  let removed: DiffChange[] = [];
  let added: DiffChange[] = [];
  const close = () => {
    if (removed.length === added.length) {
      removed.forEach((old, index) => {
        const fresh = added[index];
        const part = fresh && changedPart(old.content, fresh.content);
        if (!fresh || !part) return;
        parts.set(old, part.old);
        parts.set(fresh, part.new);
      });
    }
    removed = [];
    added = [];
  };
  for (const change of hunk.changes) {
    if (change.type === 'delete' && added.length === 0) removed.push(change);
    else if (change.type === 'insert') added.push(change);
    else {
      close();
      if (change.type === 'delete') removed.push(change);
    }
  }
  close();
  return parts;
}
