import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useToasts } from '@/lib/toast';
import { newProfile } from '@/model/settings/profile-document';
import { Toaster } from '@/ui/toaster';
import { DeleteProfileDialog } from './delete-profile-dialog';
import { useProfileUndo } from './use-profile-undo';

const work = { ...newProfile('work', '/src/app'), a_field_of_tomorrow: 1 };
const home = newProfile('home', '/src/home');
let sent: { method: string; path: string; body: unknown }[] = [];

beforeEach(() => {
  sent = [];
  useToasts.setState({ toasts: [] });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (path, init) => {
    const method = init?.method ?? 'GET';
    if (method !== 'GET') {
      const body = init?.body ? JSON.parse(String(init.body)) : null;
      sent.push({ method, path: String(path), body });
      return method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json({});
    }
    const items = [
      { ...work, is_active: true },
      { ...home, is_active: false },
    ];
    return Response.json({ items, next_cursor: null });
  });
});

function Notices() {
  const undo = useProfileUndo();
  return (
    <button type="button" onClick={() => undo.activated('home')}>
      activated
    </button>
  );
}

async function show(children: React.ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      {children}
      <Toaster />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(client.getQueryData(['profiles'])).toBeTruthy());
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

describe('undo', () => {
  it('creates a deleted profile again, with every field, and makes it active again', async () => {
    await show(<DeleteProfileDialog name="work" isActive onClose={vi.fn()} onDeleted={vi.fn()} />);
    press('Delete');
    await screen.findByText('Deleted profile work');
    fireEvent.click(screen.getByText('Undo'));
    await waitFor(() => expect(sent).toHaveLength(3));
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'DELETE /api/profiles/work',
      'POST /api/profiles',
      'POST /api/profiles/work/activate',
    ]);
    expect(sent[1]?.body).toEqual(work);
  });

  it('makes the profile active that was active before', async () => {
    await show(<Notices />);
    press('activated');
    fireEvent.click(await screen.findByText('Undo'));
    await waitFor(() => expect(sent[0]?.path).toBe('/api/profiles/work/activate'));
  });
});
