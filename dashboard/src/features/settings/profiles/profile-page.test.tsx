import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { beforeEach, expect, it, vi } from 'vitest';
import ProfilePage from '@/features/settings/profiles/profile-page';
import { newProfile } from '@/model/settings/profile-document';

const saved = {
  ...newProfile('work', '/src/app'),
  checks: [{ name: 'test', command: 'make test', timeout: 60 }],
  a_field_of_tomorrow: { nested: [1, { deep: null }] },
};
/** What the server has now. */
let now: object = saved;

beforeEach(() => {
  now = saved;
});

type SentRequest = { tag: string | null; body: unknown };

/** A server that knows one profile in version 3, and what it was sent. `answer` is what it says to a change. */
function serve(answer = () => Response.json({ is_active: true, ...saved })) {
  const sent: SentRequest[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (path, init) => {
    if (init?.method === 'PUT') {
      const tag = new Headers(init.headers).get('if-match');
      sent.push({ tag, body: JSON.parse(String(init.body)) });
      return answer();
    }
    const shown = { is_active: true, ...now };
    if (String(path).endsWith('/profiles/work'))
      return Response.json(shown, { headers: { etag: '"3"' } });
    return Response.json({ items: [shown], next_cursor: null });
  });
  return sent;
}

const refusal = (status: number, error: object) => () =>
  Response.json({ error, request_id: 'r' }, { status });

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
  fireEvent.change(await screen.findByLabelText('Review rounds per task'), {
    target: { value: '8' },
  });
  await save();
  await vi.waitFor(() =>
    expect(sent).toEqual([{ tag: '"3"', body: { ...saved, max_review_rounds: 8 } }]),
  );
}, 30_000);

it('shows what the server refuses at its field', async () => {
  const problems = [{ path: 'finish.pull_request', message: 'needs `finish.push`' }];
  serve(refusal(422, { code: 'INVALID', message: 'no', details: { problems } }));
  open();
  fireEvent.click(await screen.findByLabelText('Open a pull request'));
  await save();
  expect(await screen.findByText(/Nothing was saved/)).toBeTruthy();
  const named = screen.getAllByText('finish.push', { selector: 'code' });
  expect(named.map((code) => code.parentElement?.textContent)).toEqual([
    expect.stringContaining('needs finish.push'),
    expect.stringContaining('needs finish.push'),
  ]);
}, 30_000);

it('does not save what it knows to be wrong', async () => {
  serve();
  open();
  fireEvent.change(await screen.findByLabelText('Review rounds per task'), {
    target: { value: '' },
  });
  expect(await screen.findByText('must be a number')).toBeTruthy();
  expect(screen.getByText('Review and save').closest('button')?.disabled).toBe(true);
}, 30_000);

it('shows that others were faster, whether it sees that before it sends or the server says so', async () => {
  const theirs = { ...saved, parallel_tasks: 2 };
  const sent = serve(() => {
    now = theirs;
    return refusal(409, { code: 'CONFLICT', message: 'version 4 is the newest' })();
  });
  open();
  fireEvent.change(await screen.findByLabelText('Review rounds per task'), {
    target: { value: '8' },
  });
  await save();
  expect(await screen.findByText('This profile was changed by someone else')).toBeTruthy();
  expect(sent.map(({ tag }) => tag)).toEqual(['"3"']);
  fireEvent.click(screen.getByText('Keep my changes'));
  now = { ...theirs, parallel_tasks: 3 };
  await save();
  expect(await screen.findByText('This profile was changed by someone else')).toBeTruthy();
  expect(sent).toHaveLength(1);
}, 30_000);
