import { describe, expect, it } from 'vitest';
import { compareLines, foldLines } from '@/model/diff/compare-lines';
import { checksIn, diffSize, forkPairs, growth, paired, pairedFiles, relativesOf } from './compare';

const file = (path: string, added: number | null, removed: number | null) => ({
  path,
  added,
  removed,
});
const run = (id: string, parent?: string, issue_id: string | null = null) => ({
  id,
  issue_id,
  forked_from: parent ? { workflow_id: parent, checkpoint: 1 } : null,
});

describe('two runs', () => {
  it('stand side by side, also where one has nothing', () => {
    const pairs = paired({ plan: 1, build: 2 }, { build: 2, check: 3 }, (a, b) => a === b);
    expect(pairs).toEqual([
      { name: 'plan', a: 1, b: null, isSame: false },
      { name: 'build', a: 2, b: 2, isSame: true },
      { name: 'check', a: null, b: 3, isSame: false },
    ]);
  });

  it('have their files by path', () => {
    const pairs = pairedFiles(
      [file('b', 1, 1), file('z', null, null)],
      [file('a', 1, 0), file('b', 1, 2)],
    );
    expect(pairs.map(({ name, isSame }) => [name, isSame])).toEqual([
      ['a', false],
      ['b', false],
      ['z', false],
    ]);
    expect(diffSize([file('b', 1, 1), file('z', null, null)])).toEqual({
      files: 2,
      added: 1,
      removed: 1,
    });
  });

  it.each([
    [[{ name: 'tests', passed: true, exit_code: 0 }, 'rubbish', 7], 1],
    [null, 0],
    [{ name: 'tests' }, 0],
  ])('%# have checks', (value, count) => expect(checksIn(value)).toHaveLength(count));

  it.each([
    [2, 3, 0.5],
    [0, 3, null],
    [3, 0, null],
    [null, 3, null],
  ])('from %s to %s grow by %s', (a, b, by) => expect(growth(a, b)).toBe(by));

  it('know their relatives, the nearest first', () => {
    const all = [
      run('issue', undefined, 'A-1'),
      run('sister', 'parent'),
      run('parent'),
      run('me', 'parent', 'A-1'),
      run('child', 'me'),
      run('stranger'),
    ];
    const me = run('me', 'parent', 'A-1');
    expect(relativesOf(me, all).map(({ id }) => id)).toEqual([
      'parent',
      'child',
      'sister',
      'issue',
    ]);
    expect(forkPairs(all).map(({ a, b }) => `${a.id}-${b.id}`)).toEqual([
      'parent-sister',
      'parent-me',
      'me-child',
    ]);
  });
});

describe('lines', () => {
  const drawn = (a: string, b: string) =>
    compareLines(a, b)
      .map((line) => `${{ both: ' ', a: '-', b: '+' }[line.in]}${line.text}`)
      .join('|');
  it.each([
    ['a\nb', 'a\nb', ' a| b'],
    ['a\nb\nc', 'a\nx\nc', ' a|-b|+x| c'],
    ['a', 'a\nb', ' a|+b'],
    ['a\nb\na', 'a', ' a|-b|-a'],
    ['x\na\nb\ny', 'a\nz\nb', '-x| a|+z| b|-y'],
  ])('of %j and %j', (a, b, text) => expect(drawn(a, b)).toBe(text));

  it('far from a difference are folded', () => {
    const same = Array.from({ length: 10 }, (_, index) => `line ${index}`);
    const stretches = foldLines(compareLines([...same, 'a'].join('\n'), [...same, 'b'].join('\n')));
    expect(stretches.map((one) => [one.isFolded, one.lines.length, one.from])).toEqual([
      [true, 7, 0],
      [false, 5, 7],
    ]);
    expect(foldLines(compareLines('a\nb', 'a\nb'))[0]?.isFolded).toBe(false);
  });
});
