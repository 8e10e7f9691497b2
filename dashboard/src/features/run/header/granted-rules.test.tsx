import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runStateOf, viewOf } from '@/model/run/run-state';
import { detailOf } from '@/test/detail';
import type { PermissionGrant } from '@/wire/log/PermissionGrant';
import type { Status } from '@/wire/Status';
import { FactsBar } from './facts-bar';

const GRANTED: PermissionGrant[] = [
  { agent: 'developer', rule: 'Bash(git *)', lasts: 'run' },
  { agent: 'reviewer', rule: 'Edit', lasts: 'always' },
];

let sent: [string | undefined, string][] = [];
beforeEach(() => {
  sent = [];
  vi.spyOn(window, 'fetch').mockImplementation(async (path, init) => {
    sent.push([init?.method, String(path)]);
    return new Response('{}', { status: 202 });
  });
});
afterEach(cleanup);

function show(granted: PermissionGrant[], status: Status = 'running') {
  const detail = detailOf({ status });
  const runState = runStateOf(detail, { ...viewOf(detail), granted });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <FactsBar detail={detail} runState={runState} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

it('shows the rules that were granted to a run, and removes one', async () => {
  show(GRANTED);
  await userEvent.click(screen.getByRole('button', { name: '2 rules for this run' }));
  expect(screen.getByText('Bash(git *)')).toBeTruthy();
  expect(screen.getByText('Reviewer; also in the profile')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Remove Bash(git *)' }));
  const path = '/api/workflows/run/rules?agent=developer&rule=Bash%28git+*%29';
  await waitFor(() => expect(sent).toEqual([['DELETE', path]]));
});

it('does not offer to remove a rule of a run that has ended', async () => {
  show(GRANTED, 'completed');
  await userEvent.click(screen.getByRole('button', { name: '2 rules for this run' }));
  expect(screen.queryByRole('button', { name: /Remove/ })).toBeNull();
});

it('says nothing about rules where there are none', () => {
  show([]);
  expect(screen.queryByText(/for this run/)).toBeNull();
});
