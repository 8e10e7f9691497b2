import type { DiffFile, DiffHunk } from '@/model/diff/unified-diff';

/** Files with more changed lines start collapsed. */
export const LARGE = 500;
/** So many lines of one file are drawn at first. */
export const LINES_AT_ONCE = 1_500;

export const isLarge = (file: DiffFile) => file.added + file.removed > LARGE;

export const rowsOf = (file: DiffFile) =>
  file.hunks.reduce((sum, hunk) => sum + hunk.changes.length, 0);

/** The first `most` lines. */
export function shortened(hunks: DiffHunk[], most: number): DiffHunk[] {
  const kept: DiffHunk[] = [];
  let left = most;
  for (const hunk of hunks) {
    if (left <= 0) break;
    kept.push(
      hunk.changes.length <= left ? hunk : { ...hunk, changes: hunk.changes.slice(0, left) },
    );
    left -= hunk.changes.length;
  }
  return kept;
}
