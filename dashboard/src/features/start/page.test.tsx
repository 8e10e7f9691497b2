import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import StartPage from './page';

const noLimit = { usd: null, tokens: null, calls: null, wall_seconds: null };
const budgets = { per_run: noLimit, per_agent: noLimit, per_day: noLimit };
const profile = {
  name: 'crew',
  is_active: true,
  tracker: 'noop',
  repo_root: '/src/sample',
  agents: { developer: { driver: 'api', model: 'some-model' } },
  checks: [{ name: 'tests', command: './test.sh', timeout: 60 }],
  strategy: 'single',
  personas: [],
  budgets,
};
const list = (items: unknown[]) => ({ items, next_cursor: null });
const answers: Record<string, unknown> = {
  '/api/profiles': list([profile]),
  '/api/repositories': list([]),
  '/api/settings': { server: { budgets } },
  '/api/repositories/look': {
    path: '/src/sample',
    root: '/src/sample',
    branch: 'main',
    head: '0123456789',
    is_clean: true,
    problem: null,
    suggestions: [],
  },
};
let requests: { body: Record<string, unknown>; path: string }[] = [];
let refusal: unknown = null;

function answer(path: string, init?: RequestInit): Response {
  const plain = path.split('?')[0] ?? '';
  if (init?.method === 'POST') {
    requests.push({ path: plain, body: JSON.parse(String(init.body)) });
    if (refusal) return Response.json(refusal, { status: 422 });
    return Response.json({ id: 'run-1', status: 'pending' }, { status: 201 });
  }
  return Response.json(answers[plain] ?? { error: {} }, { status: plain in answers ? 200 : 404 });
}

function show(path = '/start') {
  const routes = [
    { path: '/start', element: <StartPage /> },
    { path: '/runs/:id', element: <p>the run</p> },
  ];
  const router = createMemoryRouter(routes, { initialEntries: [path] });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return router;
}

const press = (words: string) => fireEvent.click(screen.getByText(words, { selector: 'button' }));
const write = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });

beforeEach(() => {
  requests = [];
  refusal = null;
  localStorage.clear();
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => Promise.resolve(answer(path, init)));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

// A whole page takes its time on a busy machine.
describe('starting a run', { timeout: 20_000 }, () => {
  it('goes to the run, and has guessed the place and the profile', async () => {
    const router = show();
    await screen.findByText('some-model', {}, { timeout: 10_000 });
    expect(await screen.findByText('clean')).toBeTruthy();
    write('Title', 'Fix the sum');
    press('Start now');
    await waitFor(() => expect(router.state.location.pathname).toBe('/runs/run-1'));
    expect(requests[0]?.body).toMatchObject({
      worktree_path: '/src/sample',
      profile: 'crew',
      title: 'Fix the sum',
      queue: false,
    });
  });

  it('shows what the server refuses at its field, and a summary with the focus', async () => {
    refusal = {
      error: {
        code: 'INVALID',
        message: 'branch: is taken',
        details: { problems: [{ path: 'branch', message: 'is taken' }] },
      },
      request_id: 'r',
    };
    show('/start?title=From+a+link');
    await screen.findByText('some-model', {}, { timeout: 10_000 });
    press('Queue');
    const summary = await screen.findByRole('alert');
    await waitFor(() => expect(document.activeElement).toBe(summary));
    const branch = screen.getByLabelText('Branch');
    expect(branch.getAttribute('aria-invalid')).toBe('true');
    press('Branch');
    expect(document.activeElement).toBe(branch);
    write('Branch', 'other');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(requests[0]?.body).toMatchObject({ title: 'From a link', queue: true, plan_now: false });
  });

  it('asks nothing of the server while the title is missing', async () => {
    show();
    await screen.findByText('some-model', {}, { timeout: 10_000 });
    press('Start now');
    expect((await screen.findByRole('alert')).textContent).toContain('Enter a title');
    expect(requests).toEqual([]);
  });
});
