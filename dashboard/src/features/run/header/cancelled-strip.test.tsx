import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { detailOf } from '@/test/detail';
import type { RunDetail } from '@/wire/RunDetail';
import { CancelledStrip } from './cancelled-strip';

afterEach(cleanup);

function show(uncommitted: number, more: Partial<RunDetail> = {}) {
  const files = [{ path: 'calc.sh', added: 1, removed: 1 }];
  const diff = { diff: '', is_cut: false, files, uncommitted, branch: 'b', worktree: '/repo/fix' };
  const asked = vi.spyOn(window, 'fetch').mockImplementation(async () => Response.json(diff));
  const started_at = '2026-11-15T12:00:00Z';
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CancelledStrip detail={detailOf({ status: 'cancelled', started_at, ...more })} />
    </QueryClientProvider>,
  );
  return asked;
}

it('says where the work of a cancelled run is', async () => {
  show(1);
  const strip = await screen.findByRole('region', { name: 'Uncommitted work' });
  expect(strip.textContent).toContain(
    'Cancelled. 1 changed file is not committed, in its worktree',
  );
  expect(strip.textContent).toContain('/repo/fix');
});

it('says nothing where everything is committed, or the run continues', async () => {
  const asked = show(0);
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
  expect(screen.queryByRole('region')).toBeNull();
  cleanup();
  expect(show(1, { status: 'running' })).not.toHaveBeenCalledTimes(2);
  expect(screen.queryByRole('region')).toBeNull();
});
