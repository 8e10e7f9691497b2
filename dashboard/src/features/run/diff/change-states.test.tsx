import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { Status } from '@/wire/Status';
import { ChangeStates } from './change-states';

afterEach(cleanup);

const query = { isPending: false, isRefetching: false, error: null, refetch: () => undefined };

it.each<[Status | undefined, string, RegExp]>([
  [undefined, 'No changes yet', /as soon as an agent changes them/],
  ['running', 'No changes yet', /as soon as an agent changes them/],
  ['completed', 'No changes', /is completed, and has no changed files/],
  ['failed', 'No changes', /failed, and has no changed files/],
  ['cancelled', 'No changes', /was cancelled, and has no changed files/],
])('a run that is %s and changed nothing says %s', (status, title, text) => {
  render(<ChangeStates query={query} isPart={false} status={status} />);
  expect(screen.getByText(title)).toBeTruthy();
  expect(screen.getByText(text)).toBeTruthy();
});
