import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import type { ComponentType } from 'react';
import { MemoryRouter, Route, Routes, useLocation, useParams } from 'react-router';
import { afterEach, expect, it, vi } from 'vitest';
import { keys } from '@/api/keys';
import { detailOf } from '@/test/detail';
import DiffPage from './diff/diff-page';
import RunPage from './page';
import PlanPage from './plan/plan-page';
import { RunLoader } from './run-loader';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it.each<[string, ComponentType]>([
  ['run', RunPage],
  ['plan', PlanPage],
  ['diff', DiffPage],
])(
  'the %s page of a run that does not exist says so, and asks for nothing else',
  async (_, Page) => {
    const socket = vi.fn();
    vi.stubGlobal('WebSocket', socket);
    const asked: string[] = [];
    vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
      asked.push(String(input));
      const error = { code: 'NOT_FOUND', message: 'there is no such run', details: {} };
      return new Response(JSON.stringify({ error, request_id: 'r' }), { status: 404 });
    });
    render(
      <QueryClientProvider
        client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
      >
        <MemoryRouter initialEntries={['/runs/gone']}>
          <Routes>
            <Route path="/runs/:id" element={<Page />} />
          </Routes>
        </MemoryRouter>
      </QueryClientProvider>,
    );
    expect(await screen.findByText('This run does not exist')).toBeTruthy();
    expect(screen.getByText('gone')).toBeTruthy();
    expect(asked).toEqual(['/api/workflows/gone']);
    expect(socket).not.toHaveBeenCalled();
  },
);

function Status() {
  const { id = '' } = useParams();
  const { pathname, search } = useLocation();
  return (
    <RunLoader id={id} title="Run" loading="Loading">
      {(run) => `${run.status} at ${pathname}${search}`}
    </RunLoader>
  );
}

it('a page that is opened by the short id of a run hears what is told of the run', async () => {
  let status: 'awaiting_approval' | 'completed' = 'awaiting_approval';
  const asked: string[] = [];
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    asked.push(String(input));
    return new Response(JSON.stringify(detailOf({ id: '0199-a0de', short_id: 'r7', status })));
  });
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 15_000 } } });
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={['/runs/r7/plan?view=edit']}>
        <Routes>
          <Route path="/runs/:id/plan" element={<Status />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  const at = 'at /runs/0199-a0de/plan?view=edit';
  expect(await screen.findByText(`awaiting_approval ${at}`)).toBeTruthy();
  expect(asked).toEqual(['/api/workflows/r7']);

  status = 'completed';
  await client.invalidateQueries({ queryKey: keys.run('0199-a0de') });
  expect(await screen.findByText(`completed ${at}`)).toBeTruthy();
});
