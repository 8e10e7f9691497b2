import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { summaryOf } from '@/test/summary';
import type { ComparedRun } from '@/wire/ComparedRun';
import { CompareTable } from './compare-table';
import { outcomeRows } from './outcome-rows';

const run = (checks: ComparedRun['checks']): ComparedRun => ({
  ...summaryOf({ status: 'completed' }),
  duration_ms: 0,
  active_ms: 0,
  visits: {},
  summary: 'It parses.',
  plan: null,
  tasks: null,
  checks,
  review_rounds: 0,
  files: null,
});

it('shows the checks that ran, also when they came out the same', () => {
  const checks = [
    { name: 'tests', passed: true },
    { name: 'lint', passed: false },
  ];
  const b = { ...run(checks), summary: 'It does not.' };
  const compared = { a: run(checks), b, different: [] };
  render(<CompareTable id="o" title="Outcome" rows={outcomeRows(compared)} />);
  expect(screen.getAllByText(/tests passed/)).toHaveLength(2);
  expect(screen.getAllByText(/lint failed/)).toHaveLength(2);
  expect(screen.queryByText('Branch')).toBeNull();
  // What a completed run has come to, not what it did last.
  expect(screen.getByText('It parses.')).toBeTruthy();
});
