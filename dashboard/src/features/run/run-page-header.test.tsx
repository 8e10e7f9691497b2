import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { usePageSlot } from '@/lib/page-slot';
import { detailOf } from '@/test/detail';
import { RunPageHeader } from './run-page-header';

const slot = document.createElement('div');

beforeEach(() => {
  document.body.append(slot);
  usePageSlot.setState({ element: slot });
});

afterEach(() => {
  cleanup();
  usePageSlot.setState({ element: null });
  slot.remove();
});

const OUTCOME = {
  summary: null,
  tasks: [],
  deferred: [],
  cost_usd: null,
  branch: 'amelia/fix',
  commits: ['a'],
  merged: null,
  pull_request: null,
};

it.each([
  ['main', 'Merged'],
  [null, 'Completed'],
])('has the word of the page of the run: the change is in %s', async (merged_into, word) => {
  vi.spyOn(window, 'fetch').mockImplementation(async () => Response.json({ merged_into }));
  const run = detailOf({ status: 'completed', branch: 'amelia/fix', outcome: OUTCOME });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <RunPageHeader id="run" what="Changes" run={run} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await vi.waitFor(() => expect(window.fetch).toHaveBeenCalled());
  expect(await screen.findByText(word)).toBeTruthy();
});
