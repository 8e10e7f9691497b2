import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { detailOf } from '@/test/detail';
import { PlanPreview } from './plan-preview';

afterEach(cleanup);

it('shows tasks, files and the estimated cost of a plan in the inbox', async () => {
  const files = [{ path: 'calc.sh', operation: 'modify' }];
  const state = { draft: { plan: { goal: 'g', tasks: [{ id: '1', title: 'Add', files }] } } };
  const text = 'about $0.20, as much as the last 3 runs spent per task';
  const estimate = { tasks: 1, tokens: 100, cost_usd: 0.2, runs: 3, text };
  vi.spyOn(window, 'fetch').mockImplementation(async () =>
    Response.json(detailOf({ state, estimate })),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PlanPreview run="run" goal="It adds." problems={[]} />
    </QueryClientProvider>,
  );
  expect(await screen.findByText(`Estimate: ${text}`)).toBeTruthy();
  expect(screen.getByText('Add')).toBeTruthy();
  expect(screen.getByText('calc.sh')).toBeTruthy();
});
