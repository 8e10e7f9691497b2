// Two texts line by line: what both have, and what only one of them has. Pure.

import { editsBetween } from './line-diff';

export type ComparedLine = { in: 'both' | 'a' | 'b'; text: string };

const SIDES = { ' ': 'both', '-': 'a', '+': 'b' } as const;

export const compareLines = (a: string, b: string): ComparedLine[] =>
  editsBetween(a.split('\n'), b.split('\n')).map(({ sign, text }) => ({ in: SIDES[sign], text }));

/** A stretch of lines; one that is far from any difference is folded. */
export type LineBlock = { isFolded: boolean; lines: ComparedLine[]; from: number };

export function foldLines(lines: readonly ComparedLine[], context = 3): LineBlock[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach((line, index) => {
    if (line.in === 'both') return;
    for (let at = index - context; at <= index + context; at += 1) {
      if (at >= 0 && at < lines.length) near[at] = true;
    }
  });
  const stretches: LineBlock[] = [];
  lines.forEach((line, index) => {
    const isFolded = near[index] !== true;
    const last = stretches.at(-1);
    if (last && last.isFolded === isFolded) last.lines.push(line);
    else stretches.push({ isFolded, lines: [line], from: index });
  });
  // To unfold one or two lines is more work than to read them.
  return stretches.map((one) => (one.lines.length <= 2 ? { ...one, isFolded: false } : one));
}
