import { describe, expect, it } from 'vitest';
import { diffSize, hunksBetween, unifiedDiff } from './text-diff';

const before = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');

describe('hunks', () => {
  it('are apart when much between is the same, and know where they are', () => {
    const after = before.replace('line 3\n', 'third\n').replace('line 21\n', '');
    const hunks = hunksBetween(before, after);
    expect(hunks.map(({ content }) => content)).toEqual(['@@ -1,6 +1,6 @@', '@@ -18,7 +18,6 @@']);
  });

  it('are none when nothing has changed', () => {
    expect(hunksBetween('a\nb\n', 'a\nb\n')).toEqual([]);
    expect(hunksBetween('', 'a\n')[0]?.content).toBe('@@ -0,0 +1,1 @@');
  });
});

describe('the difference of two texts', () => {
  it('is written with lines around, as git does', () => {
    const after = before.replace('line 5\n', 'line five\n').replace('\nline 28', '');
    const text = unifiedDiff(before, after, 'prompt', 1);
    expect(text.split('\n').slice(0, 8)).toEqual([
      'diff --git a/prompt b/prompt',
      '--- a/prompt',
      '+++ b/prompt',
      '@@ -4,3 +4,3 @@',
      ' line 4',
      '-line 5',
      '+line five',
      ' line 6',
    ]);
    expect(text).toContain('@@ -27,3 +27,2 @@');
    expect(unifiedDiff(before, before)).toBe('');
    expect(unifiedDiff('', 'a\n')).toContain('@@ -0,0 +1,1 @@');
    expect(diffSize(before, after)).toEqual({ added: 1, removed: 2 });
  });
});
