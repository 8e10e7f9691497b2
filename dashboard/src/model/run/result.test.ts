import { expect, it } from 'vitest';
import type { RunOutcome } from '@/wire/RunOutcome';
import { resultFacts, resultTitle } from './result';

const NOTHING: RunOutcome = {
  summary: null,
  tasks: [],
  deferred: [],
  cost_usd: null,
  branch: null,
  commits: [],
  merged: null,
  pull_request: null,
};

it('names only what there is', () => {
  const money = (usd: number) => `$${usd}`;
  expect(resultFacts(NOTHING, money)).toEqual([]);
  const task = { id: '1', title: 'A', commit: 'a', failed_checks: [], open_findings: [] };
  const some = { ...NOTHING, tasks: [task, task], deferred: [{}], cost_usd: 0.12 };
  expect(resultFacts(some, money)).toEqual(['2 tasks', '1 deferred finding', '$0.12']);
});

it.each([
  [null, null],
  [' \n', null],
  ['\n## Rivers\n\nThey are long.', 'Rivers'],
  ['- The parser accepts empty lines.\n- More', 'The parser accepts empty lines.'],
])('takes the first line of %j', (summary, title) => {
  expect(resultTitle({ ...NOTHING, summary })).toBe(title);
});
