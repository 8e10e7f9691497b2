import { describe, expect, it } from 'vitest';
import { diffSize, type LineEdit, lineEdits, linesOf, unifiedDiff } from '@/model/text-diff';

const shape = (edits: LineEdit[]) =>
  edits.map(({ kind, text }) => ({ same: ' ', gone: '-', new: '+' })[kind] + text).join('|');

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

describe('the difference of two texts', () => {
  it.each([
    ['', '', ''],
    ['', 'a\n', '+a'],
    ['a\n', '', '-a'],
    ['a\nb\nc\n', 'a\nc\n', ' a|-b| c'],
    ['a\nb\n', 'a\nx\nb\n', ' a|+x| b'],
    ['a\nb\nc', 'a\nB\nc', ' a|-b|+B| c'],
    ['a\nb\nc\na\nb\nb\na', 'c\nb\na\nb\na\nc', '-a|-b| c|+b| a| b|-b| a|+c'],
  ])('%j to %j', (before, after, expected) => {
    expect(shape(lineEdits(before, after))).toBe(expected);
  });

  it.each(Array.from({ length: 80 }, (_, seed) => seed))('is whole and shortest (%d)', (seed) => {
    let state = seed * 7919 + 1;
    const next = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    const text = () => Array.from({ length: next(14) }, () => 'abcd'[next(4)]).join('\n');
    const [before, after] = [text(), text()];
    const edits = lineEdits(before, after);
    const only = (hidden: string) => edits.filter((e) => e.kind !== hidden).map((e) => e.text);
    expect(only('new')).toEqual(linesOf(before));
    expect(only('gone')).toEqual(linesOf(after));
    expect(edits.filter((edit) => edit.kind === 'same').length).toBe(
      common(linesOf(before), linesOf(after)),
    );
  });

  it('writes hunks with lines around, as git does', () => {
    const before = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
    const after = before.replace('line 5\n', 'line five\n').replace('\nline 28', '');
    const text = unifiedDiff(before, after, 'prompt', 1);
    expect(text.split('\n').filter((line) => line.startsWith('@@'))).toEqual([
      '@@ -4,3 +4,3 @@',
      '@@ -27,3 +27,2 @@',
    ]);
    expect(unifiedDiff(before, before)).toBe('');
    expect(unifiedDiff('', 'a\n')).toContain('@@ -0,0 +1,1 @@');
    expect(diffSize(before, after)).toEqual({ added: 1, removed: 2 });
  });

  it('stays quick when everything differs', () => {
    const text = (word: string) =>
      Array.from({ length: 8_000 }, (_, index) => `${word} ${index}`).join('\n');
    const started = performance.now();
    const edits = lineEdits(text('a'), text('b'));
    expect(edits.length).toBe(16_000);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
