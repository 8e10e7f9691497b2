import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { detailOf } from '@/test/detail';
import type { RunDetail } from '@/wire/RunDetail';
import { PlanStates } from './plan-states';

it.each<[string, Partial<RunDetail>, string]>([
  ['is coming', { status: 'running' }, 'The Architect has not written a plan yet'],
  ['did not come', { status: 'cancelled' }, 'It ended before the Architect wrote one'],
  ['is not made by a single agent', { pipeline: 'single' }, 'Only runs that implement an issue'],
])('says of a plan that it %s', (_, run, words) => {
  render(<PlanStates error={null} isPending={false} onRetry={() => {}} run={detailOf(run)} />);
  expect(screen.getByText(new RegExp(words))).toBeTruthy();
});
