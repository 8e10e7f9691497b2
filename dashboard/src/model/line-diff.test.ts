import { describe, expect, it } from 'vitest';
import { changedPart, changedParts, editsBetween, hunksBetween } from './line-diff';

const signs = (a: string, b: string) =>
  editsBetween([...a], [...b])
    .map(({ sign, text }) => (sign === ' ' ? text : sign + text))
    .join('');

describe('lines', () => {
  it.each([
    ['', '', ''],
    ['', 'ab', '+a+b'],
    ['ab', '', '-a-b'],
    ['abc', 'abc', 'abc'],
    ['abcd', 'acxd', 'a-bc+xd'],
    ['abcabba', 'cbabac', '-a-bc+bab-ba+c'],
  ])('%s and %s', (a, b, wanted) => {
    expect(signs(a, b)).toBe(wanted);
  });

  it('can always be put together again', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % below;
    };
    for (let round = 0; round < 60; round += 1) {
      const make = () => Array.from({ length: random(30) }, () => String(random(5)));
      const [a, b] = [make(), make()];
      const edits = editsBetween(a, b);
      const side = (sign: string) =>
        edits.filter((edit) => edit.sign !== sign).map(({ text }) => text);
      expect([side('+'), side('-')]).toEqual([a, b]);
    }
  });
});

describe('hunks', () => {
  it('are apart when much between is the same, and know where they are', () => {
    const before = Array.from({ length: 30 }, (_, line) => `line ${line + 1}`);
    const after = [...before];
    after[2] = 'third';
    after.splice(20, 1);
    const hunks = hunksBetween(before.join('\n'), after.join('\n'));
    expect(hunks.map(({ content }) => content)).toEqual(['@@ -1,6 +1,6 @@', '@@ -18,7 +18,6 @@']);
  });

  it('are none when nothing has changed', () => {
    expect(hunksBetween('a\nb\n', 'a\nb\n')).toEqual([]);
    expect(hunksBetween('', 'a\n')[0]?.content).toBe('@@ -0,0 +1,1 @@');
  });
});

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
