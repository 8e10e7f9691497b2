import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import type { ComponentType } from 'react';
import { MemoryRouter, Route, Routes } from 'react-router';
import { afterEach, expect, it, vi } from 'vitest';
import DiffPage from './diff/diff-page';
import RunPage from './page';
import PlanPage from './plan/plan-page';

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
