import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { setSignedOut, useConnection } from '@/api/connection';
import SignInPage from '@/features/sign-in/page';
import { stranger } from '@/test/session';

function open(session: object = stranger) {
  setSignedOut(true);
  const sent: unknown[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (path, init) => {
    if (path === '/api/session/state') return Response.json(session);
    const { token } = JSON.parse(String(init?.body));
    sent.push(token);
    if (token === 'right') return new Response(null, { status: 204 });
    const error = { code: 'UNAUTHORIZED', message: 'this is not the token' };
    return Response.json({ error, request_id: 'r' }, { status: 401 });
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SignInPage />
    </QueryClientProvider>,
  );
  return { sent, user: userEvent.setup() };
}

it('takes the token out of a pasted link and lets the browser in', async () => {
  const { sent, user } = open();
  await user.click(screen.getByLabelText('Or paste the token'));
  await user.paste('http://127.0.0.1:8420/api/session?token=right&next=%2Fui%2F');
  await user.keyboard('{Enter}');
  await vi.waitFor(() => expect(useConnection.getState().isSignedOut).toBe(false));
  expect(sent).toEqual(['right']);
});

it('says plainly that a token is wrong', async () => {
  const { user } = open();
  await user.type(screen.getByLabelText('Or paste the token'), 'wrong{Enter}');
  expect(await screen.findByText(/This is not the current token of this server/)).toBeTruthy();
  expect(useConnection.getState().isSignedOut).toBe(true);
});

it('names the home of a demo in the command that signs in', async () => {
  open({ ...stranger, is_demo: true, home: '/tmp/demo', is_default_home: false });
  expect(await screen.findByText('amelia --home /tmp/demo dashboard')).toBeTruthy();
  expect(screen.getByText(/that the demo printed/)).toBeTruthy();
});

it('says that a link works once, and how to get a new one', async () => {
  location.hash = '#used-link';
  open();
  expect(screen.getByText(/^This link was already used, or has expired/)).toBeTruthy();
  expect(await screen.findByText('amelia dashboard')).toBeTruthy();
  location.hash = '';
});
