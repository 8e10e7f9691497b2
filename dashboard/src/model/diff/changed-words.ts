// Which words of two lines differ: by what the lines have in common at both ends. Ours, because one marked range
// in each line reads better than the many small ones that word diffs of libraries find.

import type { DiffChange, DiffHunk } from './unified-diff';

export type Range = { start: number; end: number };

/** The part of each line that the other has not, by words; `null` when they have too little in common to say. */
export function changedPart(before: string, after: string): { old: Range; new: Range } | null {
  const a = before.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  const b = after.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  const shared = sharedEnds(a, b);
  const length = (words: string[]) => words.join('').length;
  const head = length(a.slice(0, shared.head));
  const tail = length(a.slice(a.length - shared.tail));
  const common = before.slice(0, head) + before.slice(before.length - tail);
  if (common.trim().length * 3 < Math.min(before.trim().length, after.trim().length)) return null;
  return {
    old: { start: head, end: before.length - tail },
    new: { start: head, end: after.length - tail },
  };
}

/** How many words two lines have in common at their beginnings, and then at their ends. */
function sharedEnds(a: readonly string[], b: readonly string[]) {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head, tail };
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
