import { describe, expect, it } from 'vitest';
import { diffSize, hunksBetween } from './text-diff';

const before = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');

describe('hunks', () => {
  it('have the changed lines with their numbers, and lines around', () => {
    const [hunk] = hunksBetween(before, before.replace('line 5\n', 'line five\n'), 1);
    expect(hunk?.changes).toEqual([
      { type: 'normal', isNormal: true, content: 'line 4', oldLineNumber: 4, newLineNumber: 4 },
      { type: 'delete', isDelete: true, content: 'line 5', lineNumber: 5 },
      { type: 'insert', isInsert: true, content: 'line five', lineNumber: 5 },
      { type: 'normal', isNormal: true, content: 'line 6', oldLineNumber: 6, newLineNumber: 6 },
    ]);
  });

  it.each([
    ['', 'a\n', '@@ -0,0 +1,1 @@'],
    ['a\n', '', '@@ -1,1 +0,0 @@'],
    ['a', 'b', '@@ -1,1 +1,1 @@'],
  ])('from %j to %j are %s', (a, b, head) => {
    expect(hunksBetween(a, b).map(({ content }) => content)).toEqual([head]);
  });

  it('replace a text as a whole when too much differs', () => {
    const lines = (word: string) => Array.from({ length: 8_000 }, (_, at) => word + at).join('\n');
    const hunks = hunksBetween(lines('a'), lines('b'));
    expect(hunks.map(({ content }) => content)).toEqual(['@@ -1,8000 +1,8000 @@']);
    expect(hunks[0]?.changes.length).toBe(16_000);
  });

  it('are apart when much between is the same, and know where they are', () => {
    const after = before.replace('line 3\n', 'third\n').replace('line 21\n', '');
    const hunks = hunksBetween(before, after);
    expect(hunks.map(({ content }) => content)).toEqual(['@@ -1,6 +1,6 @@', '@@ -18,7 +18,6 @@']);
  });

  it('are none when nothing has changed', () => {
    expect(hunksBetween('a\nb\n', 'a\nb\n')).toEqual([]);
    expect(hunksBetween('a\nb', 'a\nb\n')).toEqual([]);
  });
});

it('counts the lines that were added and removed', () => {
  const after = before.replace('line 5\n', 'line five\n').replace('\nline 28', '');
  expect(diffSize(before, after)).toEqual({ added: 1, removed: 2 });
});
