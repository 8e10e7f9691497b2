import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { expect, it, vi } from 'vitest';
import ProfilePage from '@/features/settings/profiles/profile-page';
import { newProfile } from '@/model/profile-document';

const saved = {
  ...newProfile('work', '/src/app'),
  checks: [{ name: 'test', command: 'make test', timeout: 60 }],
  a_field_of_tomorrow: { nested: [1, { deep: null }] },
};

/** A server that knows one profile, and what it was sent. */
function serve(refuse: { path: string; message: string }[] = []) {
  const sent: unknown[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_path, init) => {
    if (init?.method !== 'PUT')
      return Response.json({ items: [{ is_active: true, ...saved }], next_cursor: null });
    sent.push(JSON.parse(String(init.body)));
    if (refuse.length === 0) return Response.json({ is_active: true, ...saved });
    const error = { code: 'INVALID', message: 'no', details: { problems: refuse } };
    return Response.json({ error, request_id: 'r' }, { status: 422 });
  });
  return sent;
}

function open() {
  const router = createMemoryRouter(
    [{ path: '/settings/profiles/:name', element: <ProfilePage /> }],
    { initialEntries: ['/settings/profiles/work'] },
  );
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

// By text, not by role: in a form of this size jsdom takes seconds to work out roles.
async function save() {
  fireEvent.click(await screen.findByText('Review and save'));
  fireEvent.click(await screen.findByText('Save'));
}

it('changes one field and sends everything else as it came', async () => {
  const sent = serve();
  open();
  fireEvent.change(await screen.findByLabelText('Rounds for a task'), { target: { value: '8' } });
  await save();
  await vi.waitFor(() => expect(sent).toEqual([{ ...saved, max_review_rounds: 8 }]));
}, 30_000);

it('shows what the server refuses at its field', async () => {
  serve([{ path: 'finish.pull_request', message: 'needs `finish.push`' }]);
  open();
  fireEvent.click(await screen.findByLabelText('Open a pull request'));
  await save();
  expect(await screen.findByText(/Nothing was saved/)).toBeTruthy();
  expect(screen.getAllByText(/needs `finish.push`/)).toHaveLength(2);
}, 30_000);

it('does not save what it knows to be wrong', async () => {
  serve();
  open();
  fireEvent.change(await screen.findByLabelText('Rounds for a task'), { target: { value: '' } });
  expect(await screen.findByText('must be a number')).toBeTruthy();
  expect(screen.getByText('Review and save').closest('button')?.disabled).toBe(true);
}, 30_000);
