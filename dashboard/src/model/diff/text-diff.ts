// What has changed between two texts, as hunks to draw and as `git diff` writes it.

import { type Edit, editsBetween, linesOf } from './line-diff';
import type { DiffChange, DiffHunk } from './unified-diff';

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

const SIGNS = { normal: ' ', insert: '+', delete: '-' };

/** As `git diff` writes it, with so many lines around; empty when nothing differs. */
export function unifiedDiff(before: string, after: string, name = 'text', around = 3): string {
  const hunks = hunksBetween(before, after, around);
  if (hunks.length === 0) return '';
  const lines = hunks.flatMap(({ content, changes }) => [
    content,
    ...changes.map((change) => SIGNS[change.type] + change.content),
  ]);
  const head = [`diff --git a/${name} b/${name}`, `--- a/${name}`, `+++ b/${name}`];
  return `${[...head, ...lines].join('\n')}\n`;
}

/** Lines that came and went: `{ added: 3, removed: 1 }`. */
export function diffSize(before: string, after: string): { added: number; removed: number } {
  const edits = editsBetween(linesOf(before), linesOf(after));
  const count = (sign: Edit['sign']) => edits.filter((edit) => edit.sign === sign).length;
  return { added: count('+'), removed: count('-') };
}
