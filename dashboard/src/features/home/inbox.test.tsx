import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setConnection } from '@/api/connection';
import { KEY_SAFETY_MS } from '@/lib/key-guard';
import { handleKey } from '@/lib/keys';
import type { Pending } from '@/wire/Pending';
import HomePage from './page';

const asked = (request_id: string, title: string, more: Partial<Pending> = {}): Pending => ({
  request_id,
  workflow_id: `run-${request_id}`,
  short_id: 'r1',
  title,
  kind: 'question',
  agent: 'developer',
  prompt: 'Which port?',
  context: { call: 'c', options: ['8420', '80'] },
  can_accept: false,
  about_checks: false,
  can_allow_always: true,
  requested_at: '2026-11-15T10:00:00Z',
  deadline: null,
  on_timeout: 'reject',
  mode: null,
  ...more,
});

vi.setConfig({ testTimeout: 20_000 });

type SentRequest = { path: string; body: unknown };
let sent: SentRequest[] = [];
let inbox: Pending[] = [];
let refusal: string | null = null;

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

beforeEach(() => {
  sent = [];
  refusal = null;
  inbox = [];
  window.addEventListener('keydown', handleKey);
  vi.spyOn(window, 'fetch').mockImplementation(async (input, init) => {
    const path = String(input);
    if (init?.method === 'POST') {
      sent.push({ path, body: JSON.parse(String(init.body)) });
      if (refusal === null) return json({ id: 'x', status: 'running' }, 202);
      const error = { code: 'WRONG_STATE', message: refusal, hint: null, details: {} };
      return json({ error, request_id: 'r' }, 409);
    }
    const items = path.startsWith('/api/inbox') ? inbox : [];
    return json({ items, next_cursor: null });
  });
});
afterEach(() => {
  window.removeEventListener('keydown', handleKey);
  act(() => setConnection('live'));
});

function show() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <HomePage />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return client;
}

/** Longer than keys wait. */
const pause = () => act(() => new Promise((resolve) => setTimeout(resolve, KEY_SAFETY_MS + 100)));

const shown = (title: string) => screen.findByRole('link', { name: title });

describe('the inbox', () => {
  it('answers by key, item after item', async () => {
    inbox = [asked('1', 'First'), asked('2', 'Second', { context: null })];
    show();
    await shown('First');
    await userEvent.keyboard('2');
    expect(sent).toEqual([]);
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(screen.queryByRole('link', { name: 'First' })).toBeNull());
    expect(sent).toEqual([
      {
        path: '/api/workflows/run-1/hitl/1/respond',
        body: { response_type: 'approved', message: '80' },
      },
    ]);
    await pause();
    await userEvent.keyboard('a');
    await userEvent.type(screen.getByLabelText('Your answer'), 'port 81{Enter}');
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]?.body).toEqual({ response_type: 'approved', message: 'port 81' });
  });

  it('ignores a key for a moment when an item appears under it', async () => {
    inbox = [asked('5', 'Answered elsewhere')];
    const client = show();
    await shown('Answered elsewhere');
    inbox = [asked('6', 'Sudden')];
    await act(() => client.invalidateQueries());
    await shown('Sudden');
    await userEvent.keyboard('1{Enter}');
    expect(sent).toEqual([]);
    await pause();
    await userEvent.keyboard('1a');
    await waitFor(() => expect(sent).toHaveLength(1));
  });

  it('does not decide about the next item when a key is pressed twice', async () => {
    const plan = { kind: 'approval', context: null };
    inbox = [asked('10', 'Meant', plan), asked('11', 'Not meant', plan)];
    show();
    await shown('Meant');
    await userEvent.keyboard('aa');
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Meant' })).toBeNull());
    await userEvent.keyboard('a');
    expect(sent.map(({ path }) => path)).toEqual(['/api/workflows/run-10/hitl/10/respond']);
    await pause();
    await userEvent.keyboard('a');
    await waitFor(() => expect(sent).toHaveLength(2));
  });

  it('ignores keys for a moment when the selected item moves', async () => {
    const plan = { kind: 'approval', context: null };
    inbox = [asked('12', 'Selected', plan)];
    const client = show();
    await userEvent.click(await screen.findByRole('button', { name: 'Collapse Selected' }));
    inbox = [asked('13', 'Arrived first', plan), asked('12', 'Selected', plan)];
    await act(() => client.invalidateQueries());
    await shown('Arrived first');
    await userEvent.click(screen.getByRole('button', { name: 'Expand Selected' }));
    await act(() => {
      inbox = inbox.slice(1);
      return client.invalidateQueries();
    });
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Arrived first' })).toBeNull());
    await userEvent.keyboard('a');
    expect(sent).toEqual([]);
  });

  it('does nothing more while a key is held down', async () => {
    inbox = [asked('7', 'One', { kind: 'approval', context: null }), asked('8', 'Two')];
    show();
    await shown('One');
    await userEvent.keyboard('{a>3/}');
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(screen.queryByLabelText('Your answer')).toBeNull();
  });

  it('brings back what was refused, with the reason', async () => {
    inbox = [asked('3', 'Refused')];
    refusal = 'somebody else has answered it';
    show();
    await shown('Refused');
    await userEvent.keyboard('1a');
    expect(await screen.findByText(/somebody else has answered it/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Refused' })).toBeTruthy();
  });

  it('sends nothing without words, and leaves with Escape', async () => {
    inbox = [
      asked('4', 'Planned', {
        kind: 'approval',
        prompt: 'approve the plan (2 tasks)?',
        context: { plan_path: 'plan.md', goal: 'It adds.', tasks: 2, problems: [] },
      }),
    ];
    show();
    await shown('Planned');
    expect(screen.getByText('It adds.')).toBeTruthy();
    await userEvent.keyboard('r');
    const field = screen.getByLabelText(/What should change/);
    await userEvent.type(field, '{Enter}');
    expect(sent).toEqual([]);
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByLabelText(/What should change/)).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole('link', { name: 'Planned' }));
  });

  it('shows what would be allowed before it can be allowed', async () => {
    const call = (command: string) => ({
      kind: 'approval',
      context: { permission: { tool: 'Bash', args: { command } } },
    });
    inbox = [
      asked('14', 'Open'),
      asked('15', 'Short', call('sleep 8')),
      asked('16', 'Long', call('ls\nrm -r build')),
    ];
    show();
    await shown('Short');
    expect(screen.getByText('sleep 8').tagName).toBe('CODE');
    expect(screen.getAllByText(/^asks to use Bash/)).toHaveLength(2);
    expect(screen.getAllByRole('button', { name: /Allow once/ })).toHaveLength(1);
  });

  it('does not take keys that another control has', async () => {
    inbox = [asked('5', 'Kept')];
    show();
    await shown('Kept');
    screen.getByRole('radio', { name: 'Board' }).focus();
    await userEvent.keyboard('1');
    expect(sent).toEqual([]);
  });
});

describe('the home page', () => {
  it('welcomes a user without runs', async () => {
    show();
    expect(await screen.findByText('amelia demo --open')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Start a run' }).getAttribute('href')).toBe('/start');
  });

  it('says since when it is disconnected', async () => {
    vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now() - 5_000);
    act(() => setConnection('lost'));
    show();
    expect(await screen.findByText(/Disconnected. Showing the state at/)).toBeTruthy();
  });

  it('says that nothing can be read, and offers another try', async () => {
    vi.spyOn(window, 'fetch').mockImplementation(async () =>
      json({ error: { code: 'INTERNAL', message: 'the disk is full' }, request_id: 'r' }, 500),
    );
    show();
    expect(await screen.findByText('Could not load the items that need you')).toBeTruthy();
    expect(screen.getAllByRole('button', { name: 'Try again' })).toHaveLength(2);
  });
});
