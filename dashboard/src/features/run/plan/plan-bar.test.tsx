import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handleKey } from '@/lib/keys';
import { PlanBar } from './plan-bar';
import { usePlanActions } from './use-plan-actions';

let sent: unknown[] = [];
let now = 0;
let release: () => void = () => {};

beforeEach(() => {
  sent = [];
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  window.addEventListener('keydown', handleKey);
  vi.spyOn(window, 'fetch').mockImplementation(async (_input, init) => {
    sent.push(JSON.parse(String(init?.body)));
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return new Response('{}', { status: 202 });
  });
});
afterEach(() => {
  window.removeEventListener('keydown', handleKey);
  cleanup();
});

const edit = {
  edited: null,
  text: '',
  isOutdated: false,
  wanted: null,
  write: () => {},
  reset: () => {},
  keepMine: () => {},
};

function Bar() {
  const actions = usePlanActions('run', 'ask', 'plan.run', () => {});
  return (
    <PlanBar
      shortId="r1"
      request="ask"
      review="plan.run"
      edit={edit}
      isEditing={false}
      onSwitch={() => {}}
      actions={actions}
    />
  );
}

function show() {
  const routes = [
    { path: '/runs/:id/plan', element: <Bar /> },
    { path: '/runs/:id', element: <p>the run</p> },
  ];
  const router = createMemoryRouter(routes, { initialEntries: ['/runs/run/plan'] });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return router;
}

describe('the decision about a plan', () => {
  it('does not hear a key that comes with the plan', async () => {
    show();
    await userEvent.keyboard('a');
    await userEvent.keyboard('r');
    expect(sent).toEqual([]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('is sent once, and then shows the run', async () => {
    const router = show();
    now = 1_000;
    await userEvent.keyboard('aa');
    expect(sent).toEqual([{ response_type: 'approved' }]);
    expect(router.state.location.pathname).toBe('/runs/run/plan');
    release();
    await waitFor(() => expect(router.state.location.pathname).toBe('/runs/run'));
    expect(screen.getByText('the run')).toBeTruthy();
  });
});
