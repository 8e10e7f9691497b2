import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useAttention } from '@/api/attention';
import { useRuns } from '@/api/runs';
import { useNotifying } from '@/lib/notify';
import { detailOf, pendingOf } from '@/test/detail';
import { summaryOf } from '@/test/summary';
import type { Pending } from '@/wire/Pending';
import type { RunSummary } from '@/wire/RunSummary';
import { useAttentionSignals } from './use-attention';
import { useCompletionNotices } from './use-completion-notices';

let shown: { title: string; body: string | undefined }[] = [];
let inbox: Pending[] = [];
let runs: RunSummary[] = [];

/** Notifications of a browser that allows them. */
class NotificationDouble {
  static permission = 'granted';
  constructor(title: string, options?: NotificationOptions) {
    shown.push({ title, body: options?.body });
  }
}

beforeEach(() => {
  shown = [];
  inbox = [];
  runs = [summaryOf({ id: 'run', title: 'Add' })];
  vi.stubGlobal('Notification', NotificationDouble);
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  useNotifying.setState({ wanted: true });
  const task = { id: '1', title: 'Add', commit: null, failed_checks: [], open_findings: [] };
  const outcome = {
    summary: '## It adds\n\nAnd says so.',
    tasks: [task, task],
    deferred: [],
    cost_usd: 0.25,
    branch: 'amelia/add',
    commits: [],
    merged: null,
    pull_request: null,
  };
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { pathname } = new URL(String(input), 'http://x');
    if (pathname === '/api/workflows/run') return Response.json(detailOf({ outcome }));
    const items = pathname === '/api/inbox' ? inbox : runs;
    return Response.json({ items, next_cursor: null });
  });
});
afterEach(() => {
  cleanup();
  useNotifying.setState({ wanted: false });
  vi.unstubAllGlobals();
});

function Signals() {
  useAttentionSignals();
  useCompletionNotices();
  const runs = useRuns({});
  const attention = useAttention();
  return <output>{runs.isSuccess && !attention.isPending && 'read'}</output>;
}

async function show() {
  const client = new QueryClient();
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <Signals />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await screen.findByText('read');
  return () => act(() => client.invalidateQueries());
}

it('tells in a notification what a run asks', async () => {
  const lookAgain = await show();
  inbox = [pendingOf({ kind: 'question', title: 'Add', prompt: 'Which port?' })];
  await lookAgain();
  await waitFor(() => expect(shown).toEqual([{ title: 'Question: Add', body: 'Which port?' }]));
});

it('tells in a notification what has come of a run', async () => {
  const lookAgain = await show();
  runs = [summaryOf({ id: 'run', title: 'Add', status: 'completed' })];
  await lookAgain();
  const body = 'It adds · 2 tasks · $0.2500';
  await waitFor(() => expect(shown).toEqual([{ title: 'Completed: Add', body }]));
});
