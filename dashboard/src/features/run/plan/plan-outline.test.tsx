import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { PlanOutline } from './plan-outline';

afterEach(cleanup);

const task = (id: string) => ({
  id,
  title: `Task ${id}`,
  dependencies: [],
  files: [],
  steps: [],
  acceptance: [],
  commitMessage: null,
});
const tasks = ['1', '2', '3'].map(task);

it('shows the status of each task of a team', () => {
  const statuses = ['completed', 'in_progress', 'failed'];
  const ofTeam = tasks.map((one, index) => ({ ...one, status: statuses[index] ?? '' }));
  render(<PlanOutline tasks={ofTeam} done={null} isOver={false} />);
  const shown = screen.getAllByLabelText(/completed|in progress|failed/);
  expect(shown.map((icon) => icon.getAttribute('aria-label'))).toEqual([
    'completed',
    'in progress',
    'failed',
  ]);
});

it('shows which task is next, and none once the run has ended', () => {
  render(<PlanOutline tasks={tasks} done={1} isOver={false} />);
  expect(screen.getByLabelText('next or in progress')).toBeTruthy();
  cleanup();
  render(<PlanOutline tasks={tasks} done={1} isOver />);
  expect(screen.queryByLabelText('next or in progress')).toBeNull();
  expect(screen.getAllByLabelText('not done')).toHaveLength(2);
});
