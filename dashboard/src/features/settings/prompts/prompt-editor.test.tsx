import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { expect, it, vi } from 'vitest';
import PromptPage from '@/features/settings/prompts/prompt-page';

const prompt = (text: string) => ({
  name: 'single.system',
  text,
  shipped: 'Shipped.',
  is_own: true,
  version: 2,
  problem: null,
});

it('changes the version that was read, and says when others have changed it since', async () => {
  let text = 'Be kind.';
  let version = 2;
  const sent: { tag: string | null; body: unknown }[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (path, init) => {
    if (init?.method === 'PUT') {
      const tag = new Headers(init.headers).get('if-match');
      sent.push({ tag, body: JSON.parse(String(init.body)) });
      return Response.json(prompt(text));
    }
    if (String(path).endsWith('/prompts/single.system'))
      return Response.json(prompt(text), { headers: { etag: `"${version}"` } });
    return Response.json({ items: [prompt(text)], next_cursor: null });
  });
  const router = createMemoryRouter(
    [{ path: '/settings/prompts/:name', element: <PromptPage /> }],
    { initialEntries: ['/settings/prompts/single.system'] },
  );
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  fireEvent.change(await screen.findByLabelText('Text'), { target: { value: 'Be short.' } });
  [text, version] = ['Be thorough.', 3];
  fireEvent.click(screen.getByText('Save as new version'));
  expect(await screen.findByText('prompt single.system was changed by someone else')).toBeTruthy();
  expect(sent).toEqual([]);
  await vi.waitFor(() =>
    expect(client.getQueryData(['prompts'])).toMatchObject([{ text: 'Be thorough.' }]),
  );
  fireEvent.click(screen.getByText('Save as new version'));
  await vi.waitFor(() => expect(sent).toEqual([{ tag: '"3"', body: { text: 'Be short.' } }]));
}, 30_000);
