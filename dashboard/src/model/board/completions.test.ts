import { expect, it } from 'vitest';
import { summaryOf } from '@/test/summary';
import type { Status } from '@/wire/Status';
import { completions } from './completions';

it('finds runs that were at work before', () => {
  const runs = ['a', 'b', 'c', 'd'].map((id) => summaryOf({ id, status: 'completed' }));
  const before = new Map<string, Status>([
    ['a', 'running'],
    ['b', 'completed'],
    ['c', 'awaiting_approval'],
  ]);
  const found = completions(before, [...runs, summaryOf({ id: 'e', status: 'failed' })]);
  expect(found.map(({ id }) => id)).toEqual(['a', 'c']);
});
