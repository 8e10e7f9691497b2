import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { useToasts } from '@/lib/toast';
import { detailOf } from '@/test/detail';
import { Toaster } from '@/ui/toaster';
import { useRunActions } from './use-run-actions';

const can = { start: false, pause: true, cancel: true, step: false, say: true, archive: true };
let sent: string[] = [];

beforeEach(() => {
  sent = [];
  useToasts.setState({ toasts: [] });
  vi.spyOn(window, 'fetch').mockImplementation(async (path) => {
    sent.push(String(path));
    return new Response('{}', { status: 202 });
  });
});

function Actions() {
  const actions = useRunActions(detailOf(), can, null, () => {});
  return actions.map(({ id, run }) => (
    <button type="button" key={id} onClick={run}>
      {id}
    </button>
  ));
}

it.each([
  ['pause', 'resume'],
  ['archive', 'unarchive'],
])('%s can be undone with %s', async (done, undone) => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Actions />
      <Toaster />
    </QueryClientProvider>,
  );
  fireEvent.click(screen.getByText(done));
  fireEvent.click(await screen.findByText('Undo'));
  await waitFor(() =>
    expect(sent).toEqual([`/api/workflows/run/${done}`, `/api/workflows/run/${undone}`]),
  );
});
