import { describe, expect, it } from 'vitest';
import { editsBetween, linesOf } from './line-diff';

const signs = (a: string, b: string) =>
  editsBetween([...a], [...b])
    .map(({ sign, text }) => (sign === ' ' ? text : sign + text))
    .join('');

/** The length of the longest common subsequence, the slow and certain way. */
function common(a: string[], b: string[]): number {
  const row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    let diagonal = 0;
    b.forEach((other, index) => {
      const above = row[index + 1] ?? 0;
      row[index + 1] = line === other ? diagonal + 1 : Math.max(above, row[index] ?? 0);
      diagonal = above;
    });
  }
  return row[b.length] ?? 0;
}

describe('the edits between two lists of lines', () => {
  it.each([
    ['', '', ''],
    ['', 'ab', '+a+b'],
    ['ab', '', '-a-b'],
    ['abc', 'abc', 'abc'],
    ['abc', 'ac', 'a-bc'],
    ['abc', 'aBc', 'a-b+Bc'],
    ['abcd', 'acxd', 'a-bc+xd'],
    ['abcabba', 'cbabac', '-a-bc+bab-ba+c'],
  ])('%s to %s', (a, b, wanted) => {
    expect(signs(a, b)).toBe(wanted);
  });

  it.each(Array.from({ length: 80 }, (_, seed) => seed))('are whole and fewest (%d)', (seed) => {
    let state = seed * 7919 + 1;
    const next = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    const make = () => Array.from({ length: next(30) }, () => 'abcd'.charAt(next(4)));
    const [before, after] = [make(), make()];
    const edits = editsBetween(before, after);
    const only = (hidden: string) => edits.filter((e) => e.sign !== hidden).map((e) => e.text);
    expect([only('+'), only('-')]).toEqual([before, after]);
    expect(edits.filter(({ sign }) => sign === ' ').length).toBe(common(before, after));
  });

  it('stay quick when everything differs', () => {
    const lines = (word: string) => Array.from({ length: 8_000 }, (_, index) => word + index);
    const started = performance.now();
    expect(editsBetween(lines('a'), lines('b')).length).toBe(16_000);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

it.each([
  ['', []],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\n\n', ['a', '']],
  ['\n', ['']],
])('%j has the lines %j', (text, lines) => {
  expect(linesOf(text)).toEqual(lines);
});
