import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
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

  it('begins with the title, which has the focus, and tells the profile from the run', async () => {
    show();
    await screen.findByText('some-model', {}, { timeout: 10_000 });
    const title = screen.getByLabelText('Title');
    await waitFor(() => expect(document.activeElement).toBe(title));
    const fields = [...document.querySelectorAll('input:not([type="radio"]), textarea, select')];
    expect(fields[0]).toBe(title);
    const ofProfile = screen.getByRole('region', { name: 'Set by profile crew' });
    expect(within(ofProfile).getByText('some-model')).toBeTruthy();
    const ofRun = screen.getByRole('region', { name: 'Only for this run' });
    expect(within(ofRun).getByLabelText('Branch')).toBeTruthy();
    expect(within(ofRun).getByLabelText('Cost')).toBeTruthy();
    expect(ofRun.contains(ofProfile)).toBe(false);
  });

  it('asks nothing of the server while the title is missing', async () => {
    show();
    await screen.findByText('some-model', {}, { timeout: 10_000 });
    press('Start now');
    expect((await screen.findByRole('alert')).textContent).toContain('Enter a title');
    expect(requests).toEqual([]);
  });

  it('sends attached files, and shows them in the command', async () => {
    show('/start?title=Match+the+design');
    await screen.findByText('some-model', {}, { timeout: 10_000 });
    const shot = new File([new Uint8Array([0, 255, 1])], 'a shot.png', { type: 'image/png' });
    const notes = new File(['hello'], 'notes.txt');
    const log = new File(['x'], 'app.log');
    fireEvent.change(screen.getByLabelText('Files to attach'), { target: { files: [shot] } });
    fireEvent.paste(screen.getByLabelText('Title'), { clipboardData: { files: [notes] } });
    const types = ['Files'];
    fireEvent.drop(screen.getByLabelText('Title'), { dataTransfer: { types, files: [log] } });
    const list = screen.getByRole('list', { name: 'Attached files' });
    expect(within(list).getAllByRole('listitem')).toHaveLength(3);
    expect(within(list).getByText('5 B')).toBeTruthy();
    fireEvent.click(screen.getByLabelText('Remove app.log'));
    const command = "--attach 'a shot.png' --attach notes.txt";
    expect(document.body.textContent).toContain(command);
    expect(document.body.textContent).not.toContain('app.log');
    press('Start now');
    await waitFor(() => expect(requests).toHaveLength(1));
    expect(requests[0]?.body.attachments).toEqual([
      { name: 'a shot.png', data: 'AP8B' },
      { name: 'notes.txt', data: 'aGVsbG8=' },
    ]);
  });

  it('sends no list of files when none is left', async () => {
    const router = show('/start?title=Plain');
    await screen.findByText('some-model', {}, { timeout: 10_000 });
    const file = new File(['x'], 'x.txt');
    fireEvent.change(screen.getByLabelText('Files to attach'), { target: { files: [file] } });
    fireEvent.click(screen.getByLabelText('Remove x.txt'));
    press('Start now');
    await waitFor(() => expect(router.state.location.pathname).toBe('/runs/run-1'));
    expect(requests[0]?.body).not.toHaveProperty('attachments');
  });

  it('says why a file cannot be attached', async () => {
    show();
    await screen.findByText('some-model', {}, { timeout: 10_000 });
    const big = new File(['x'], 'big.bin');
    Object.defineProperty(big, 'size', { value: 11 * 1024 * 1024 });
    fireEvent.change(screen.getByLabelText('Files to attach'), { target: { files: [big] } });
    expect(await screen.findByText(/big\.bin is .*The limit for one file is 10 MB/)).toBeTruthy();
    expect(screen.queryByRole('list', { name: 'Attached files' })).toBeNull();
  });
});
