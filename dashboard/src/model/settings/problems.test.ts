import { describe, expect, it } from 'vitest';
import { messageAt, problemsOf } from './problems';

const problems = problemsOf({
  problems: [
    { path: 'agents.developer.model', message: 'must not be empty' },
    { path: 'checks[1].name', message: '`test` is already used by checks[0]' },
    { path: 'retry', message: 'is wrong' },
    { path: '', message: 'unknown' },
    'rubbish',
    { path: 'x' },
  ],
});

describe('problems of a document', () => {
  it.each([
    ['agents.developer.model', 'must not be empty'],
    ['agents.developer', 'model: must not be empty'],
    ['agents.dev', undefined],
    ['checks', '[1].name: `test` is already used by checks[0]'],
    ['checks[1].name', '`test` is already used by checks[0]'],
    ['checks[0]', undefined],
    ['retry', 'is wrong'],
    ['retry.max_delay', undefined],
  ])('at %s', (path, message) => expect(messageAt(problems, path)).toBe(message));

  it('survive details that have none', () => {
    expect(problems).toHaveLength(4);
    expect(problemsOf({})).toEqual([]);
  });
});
