import { describe, expect, it } from 'vitest';
import { editsBetween, linesOf } from './line-diff';

const signs = (a: string, b: string) =>
  editsBetween([...a], [...b])
    .map(({ sign, text }) => (sign === ' ' ? text : sign + text))
    .join('');

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

  it('replace all lines when too many differ', () => {
    const lines = (word: string) => Array.from({ length: 8_000 }, (_, index) => word + index);
    expect(editsBetween(lines('a'), lines('b')).length).toBe(16_000);
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
