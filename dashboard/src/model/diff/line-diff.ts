// What has changed between two lists of lines, by the `diff` package.
// Bounded: lists that differ in more than `MAX_EDITS` lines are shown as replaced as a whole.

import { diffArrays } from 'diff';

export type Edit = { sign: ' ' | '-' | '+'; text: string };

/** The time of a search grows with the square of this. */
export const MAX_EDITS = 2_000;

/** The lines of a text; the end of its last line begins no other. */
export const linesOf = (text: string): string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n');

/** The edits that turn `before` into `after`. */
export function editsBetween(before: string[], after: string[]): Edit[] {
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS });
  if (!parts) return [...before.map(signed('-')), ...after.map(signed('+'))];
  return parts.flatMap(({ value, added, removed }) =>
    value.map(signed(added ? '+' : removed ? '-' : ' ')),
  );
}

const signed =
  (sign: Edit['sign']) =>
  (text: string): Edit => ({ sign, text });
