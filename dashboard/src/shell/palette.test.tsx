import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, it, vi } from 'vitest';
import { setPaletteOpen } from '@/lib/commands';
import { summaryOf } from '@/test/summary';
import Palette from './palette';

const runs = [
  summaryOf({ id: 'first', short_id: 'r3', title: 'Sort names', issue_id: null }),
  summaryOf({ id: 'second', short_id: 'r12', title: 'Read names', issue_id: 'DEMO-5' }),
];

afterEach(() => {
  cleanup();
  act(() => setPaletteOpen(false));
});

it('finds a run by its short id, which it shows beside its issue', async () => {
  vi.spyOn(window, 'fetch').mockImplementation(async () =>
    Response.json({ items: runs, next_cursor: null }),
  );
  setPaletteOpen(true);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <Palette />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(2));
  await userEvent.type(screen.getByRole('combobox'), 'r12');
  await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(1));
  expect(screen.getByRole('option').textContent).toBe('Read namesr12 · DEMO-5');
});
