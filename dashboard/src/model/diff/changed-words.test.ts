import { describe, expect, it } from 'vitest';
import { changedPart, changedParts } from './changed-words';
import { hunksBetween } from './text-diff';

describe('words', () => {
  const cut = (a: string, b: string) => {
    const part = changedPart(a, b);
    return part && [a.slice(part.old.start, part.old.end), b.slice(part.new.start, part.new.end)];
  };
  it.each([
    ['echo $(($1 - $2))', 'echo $(($1 + $2))', ['-', '+']],
    ['let total = 1;', 'let totals = 1;', ['total', 'totals']],
    ['same start', 'same start and more', ['', ' and more']],
    ['nothing alike', 'quite another', null],
  ])('of %s and %s', (a, b, wanted) => {
    expect(cut(a, b)).toEqual(wanted);
  });

  it('are marked only where the counterpart is clear', () => {
    const [one] = hunksBetween('a 1\nb 1\n', 'a 2\nb 2\n');
    const [other] = hunksBetween('a b 1\n', 'a b 2\nc d\n');
    expect([one && changedParts(one).size, other && changedParts(other).size]).toEqual([4, 0]);
  });
});
