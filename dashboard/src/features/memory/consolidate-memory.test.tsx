import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, it, vi } from 'vitest';
import { detailOf } from '@/test/detail';
import type { ConsolidationStarted } from '@/wire/ConsolidationStarted';
import type { MemoryDetail } from '@/wire/MemoryDetail';
import { ConsolidateMemory } from './consolidate-memory';
import { MemoryLinks } from './memory-links';

afterEach(cleanup);

const ENTRY: MemoryDetail = {
  memory_id: 'm1',
  memory_type: 'long_term',
  key: 'rivers/rhine',
  content: 'The Rhine is long.\nIt is wet.',
  scope: 'global',
  owner: '',
  version: 1,
  created_at: '2026-11-15T12:00:00Z',
  created_by: 'scout',
  run_id: null,
  expires_at: null,
  relevance_score: null,
  part_of: null,
  method: null,
  versions: [],
  sources: [],
};

function show(element: React.ReactNode) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>{element}</MemoryRouter>
    </QueryClientProvider>,
  );
}

async function summarise(started: ConsolidationStarted): Promise<[string, unknown][]> {
  const sent: [string, unknown][] = [];
  vi.spyOn(window, 'fetch').mockImplementation(async (path, init) => {
    if (init?.method === 'POST') sent.push([String(path), init.body]);
    const answer = init?.method === 'POST' ? started : detailOf({ id: 'run', status: 'completed' });
    return new Response(JSON.stringify(answer), { status: 200 });
  });
  show(<ConsolidateMemory scope="team" />);
  await userEvent.click(screen.getByRole('button', { name: 'Summarise topics' }));
  return sent;
}

it('names the run that summarises, and says when it has', async () => {
  const run = { run_id: 'run', number: 12, topics: ['rivers', 'lakes'], method: 'extractive' };
  const sent = await summarise({ topics: run.topics, runs: [run] });
  expect(sent).toEqual([['/api/memory/consolidate', '{"scope":"team"}']]);
  expect(await screen.findByText(/has summarised rivers, lakes, without a model/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'r12' }).getAttribute('href')).toBe('/runs/run');
});

it('says when there is nothing to summarise', async () => {
  await summarise({ topics: [], runs: [] });
  expect(await screen.findByText(/Nothing to summarise/)).toBeTruthy();
});

it('links a summary with its entries', () => {
  show(<MemoryLinks detail={{ ...ENTRY, memory_id: 'm4', method: 'model', sources: [ENTRY] }} />);
  expect(screen.getByRole('link', { name: 'm1' }).getAttribute('href')).toBe('/memory?entry=m1');
  expect(screen.getByText('The Rhine is long.')).toBeTruthy();
  cleanup();
  show(<MemoryLinks detail={{ ...ENTRY, part_of: 'm4' }} />);
  expect(screen.getByRole('link', { name: 'm4' }).getAttribute('href')).toBe('/memory?entry=m4');
});
