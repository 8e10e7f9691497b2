// What has changed between two texts, as hunks to draw, by the `diff` package.

import { formatPatch, structuredPatch } from 'diff';
import { type Edit, editsBetween, linesOf, MAX_EDITS } from './line-diff';
import { type DiffHunk, parseUnified } from './unified-diff';

/** The hunks between two texts, each with `context` lines around. */
export function hunksBetween(before: string, after: string, context = 3): DiffHunk[] {
  const options = { context, maxEditLength: MAX_EDITS };
  const patch = structuredPatch('a', 'b', ended(before), ended(after), '', '', options);
  const text = patch ? formatPatch(patch) : replaced(linesOf(before), linesOf(after));
  return parseUnified(text).flatMap(({ hunks }) => hunks);
}

/** With an end of its last line, so that a missing one is no difference. */
const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** All lines of one text in the place of all lines of the other. */
function replaced(before: string[], after: string[]): string {
  const range = ({ length }: string[]) => `${length > 0 ? 1 : 0},${length}`;
  const head = `@@ -${range(before)} +${range(after)} @@`;
  return [head, ...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)].join('\n');
}

/** How many lines were added and removed. */
export function diffSize(before: string, after: string): { added: number; removed: number } {
  const edits = editsBetween(linesOf(before), linesOf(after));
  const count = (sign: Edit['sign']) => edits.filter((edit) => edit.sign === sign).length;
  return { added: count('+'), removed: count('-') };
}
