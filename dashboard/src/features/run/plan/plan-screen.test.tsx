import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handleKey } from '@/lib/keys';
import { detailOf, pendingOf } from '@/test/detail';
import type { RunDetail } from '@/wire/RunDetail';
import { PlanScreen } from './plan-screen';

const asked = pendingOf({ request_id: 'ask', kind: 'approval' });
let now = 0;
let sent: string[] = [];

beforeAll(() => import('@/ui/markdown-body'));
beforeEach(() => {
  localStorage.clear();
  now = 10_000;
  sent = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  window.addEventListener('keydown', handleKey);
  vi.spyOn(window, 'fetch').mockImplementation(async (input, init) => {
    const { pathname } = new URL(String(input instanceof Request ? input.url : input), 'http://x');
    if (init?.method === 'POST') sent.push(pathname);
    if (pathname.endsWith('/plan')) return Response.json({ plan: '# Plan\n\nDo it.\n' });
    if (pathname.endsWith('/plans')) return Response.json({ items: [] });
    return Response.json({ items: [asked] });
  });
});
afterEach(() => {
  window.removeEventListener('keydown', handleKey);
  cleanup();
});

async function show(view = '', more: Partial<RunDetail> = {}) {
  const detail = detailOf({ status: 'awaiting_approval', pending_requests: [asked], ...more });
  const routes = [
    { path: '/runs/:id/plan', element: <PlanScreen run={detail} /> },
    { path: '/runs/:id', element: <p>the run</p> },
  ];
  const router = createMemoryRouter(routes, { initialEntries: [`/runs/run/plan${view}`] });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await screen.findByRole('button', { name: /^Approve/ });
  now += 1_000;
}

const editor = () => screen.findByRole('textbox', { name: 'Plan (Markdown)' });

describe('the editor of a plan', () => {
  it('has the focus when it opens, and what is typed is its text', async () => {
    await show();
    await userEvent.keyboard('e');
    const area = await editor();
    expect(document.activeElement).toBe(area);
    now += 1_000;
    await userEvent.keyboard('area ');
    expect(area).toHaveProperty('value', 'area # Plan\n\nDo it.\n');
    expect(sent).toEqual([]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('keeps the keys that decide away, also without the focus', async () => {
    await show('?view=edit');
    (await editor()).blur();
    await userEvent.keyboard('ar');
    expect(sent).toEqual([]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('is left by Escape; the keys decide half a second later', async () => {
    await show('?view=edit');
    await userEvent.type(await editor(), 'More. ');
    await userEvent.keyboard('{Escape}');
    await screen.findByText('You edited the plan');
    await waitFor(() => expect(screen.queryByRole('textbox')).toBeNull());
    await userEvent.keyboard('a');
    expect(sent).toEqual([]);
    now += 1_000;
    await userEvent.keyboard('a');
    await waitFor(() => expect(sent).toEqual(['/api/workflows/run/hitl/ask/respond']));
  });

  it('shows what was typed as the plan that is read', async () => {
    await show('?view=edit');
    await userEvent.clear(await editor());
    await userEvent.paste('# Another plan');
    await userEvent.keyboard('{Escape}');
    expect(await screen.findByRole('heading', { name: 'Another plan' })).toBeTruthy();
    expect(screen.getByRole('note').textContent).toContain('With your edits.');
    expect(screen.queryByText('Do it.')).toBeNull();
  });

  it('decides nothing by a key that is pressed before it shows', async () => {
    await show();
    // Both at once: the editor is drawn a moment later.
    for (const key of ['e', 'a'])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    await editor();
    expect(sent).toEqual([]);
  });
});

it('shows what a plan will probably cost where it is decided about', async () => {
  const state = { draft: { plan: { goal: 'g', tasks: [{ id: '1', title: 'First' }] } } };
  const text = 'about $0.20, as much as the last 3 runs spent per task';
  await show('', { state, estimate: { tasks: 1, tokens: 100, cost_usd: 0.2, runs: 3, text } });
  expect(screen.getByText(`Estimate: ${text}`)).toBeTruthy();
  cleanup();
  await show('', { state });
  expect(screen.getByText('budget $2.00')).toBeTruthy();
  expect(screen.queryByText(/^Estimate/)).toBeNull();
});
