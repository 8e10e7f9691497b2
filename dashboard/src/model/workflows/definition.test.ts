import { describe, expect, it } from 'vitest';
import { nodeCount, offsetOf, placeOf, problemLines, wordsOf, workerOf } from './definition';

const problem = { file: null, line: 2, column: 4, path: 'nodes.a', message: 'is wrong' };

describe('a definition', () => {
  it('says where its problems are', () => {
    const other = { ...problem, file: '/x/agents/writer.yaml', line: 9, path: '' };
    expect([placeOf(problem), placeOf(other)]).toEqual(['2:4', 'writer.yaml:9:4']);
    expect([wordsOf(problem), wordsOf(other)]).toEqual(['nodes.a: is wrong', 'is wrong']);
    expect([...problemLines([problem, other])]).toEqual([2]);
  });

  it.each([
    [1, 1, 0],
    [1, 3, 2],
    [1, 99, 3],
    [2, 2, 5],
    [3, 1, 6],
    [9, 1, 6],
  ])('has line %i, column %i at %i', (line, column, at) =>
    expect(offsetOf('abc\nd\n', line, column)).toBe(at),
  );

  it('says who works at a node', () => {
    const nodes = { write: { type: 'agent', agent: 'writer' }, ask: { type: 'human' } };
    expect([workerOf({ nodes }, 'write'), workerOf({ nodes }, 'ask')]).toEqual(['writer', null]);
    expect([nodeCount({ nodes }), nodeCount(null), workerOf(null, 'x')]).toEqual([2, 0, null]);
  });
});
