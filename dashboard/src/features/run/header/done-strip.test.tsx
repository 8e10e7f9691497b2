import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, it, vi } from 'vitest';
import { detailOf } from '@/test/detail';
import type { Diff } from '@/wire/Diff';
import type { RunOutcome } from '@/wire/RunOutcome';
import type { TaskOutcome } from '@/wire/TaskOutcome';
import { DoneStrip } from './done-strip';

const OUTCOME = {
  summary: null,
  tasks: [],
  deferred: [],
  cost_usd: null,
  branch: 'amelia/fix',
  commits: [],
  merged: null,
  pull_request: null,
};

afterEach(cleanup);

function show(outcome: RunOutcome, branch: string | null = 'amelia/fix') {
  const detail = detailOf({ status: 'completed', branch, outcome });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <DoneStrip detail={detail} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

async function said(changes: Partial<Diff>, commits: string[] = [], tasks: TaskOutcome[] = []) {
  const all = {
    diff: '',
    is_cut: false,
    files: [],
    uncommitted: 0,
    branch: 'amelia/fix',
    merged_into: null,
  };
  const diff: Diff = { ...all, worktree: '/repo/fix', ...changes };
  vi.spyOn(window, 'fetch').mockImplementation(async () => Response.json(diff));
  show({ ...OUTCOME, commits, tasks });
  const result = await screen.findByText(/^Completed\./);
  await vi.waitFor(() => expect(result.parentElement?.textContent).not.toBe('Completed. '));
  return result.parentElement?.textContent;
}

const FILE = { path: 'calc.sh', added: 1, removed: 1 };

it('says that a change is not committed, and where it is', async () => {
  const files = [FILE, { ...FILE, path: 'new.sh' }];
  expect(await said({ files, uncommitted: 1 })).toBe(
    'Completed. 1 changed file is not committed yet, in the worktree /repo/fix. A merge or a pull request commits it first.',
  );
});

it('says on which branch a committed change is', async () => {
  const words = 'Completed. The change is on amelia/fix. Your checkout is unchanged.';
  expect(await said({ files: [FILE] })).toBe(words);
});

it('says that nothing was changed, and offers nothing to do with it', async () => {
  expect(await said({})).toBe('Completed. Nothing was changed.');
  expect(screen.queryByRole('button')).toBeNull();
  expect(screen.queryByRole('link')).toBeNull();
});

it('counts reviewed commits', async () => {
  const words = 'Completed. 2 reviewed commits on amelia/fix. Your checkout is unchanged.';
  expect(await said({}, ['a', 'b'])).toBe(words);
});

it.each(['main', null])('offers no merge of what a person has merged into %s', async (into) => {
  const changes = { files: [FILE], merged_into: into };
  vi.spyOn(window, 'fetch').mockImplementation(async () => Response.json(changes));
  show({ ...OUTCOME, commits: ['a'] });
  expect(await screen.findByText(into ? 'Merged:' : 'Completed.')).toBeTruthy();
  const result = screen.getByRole('region', { name: 'Result' });
  if (into) {
    await vi.waitFor(() => expect(result.textContent).toContain('Merged: main has its changes.'));
    expect(screen.queryByRole('button')).toBeNull();
  } else expect(await screen.findByRole('button', { name: 'Merge' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'See changes' })).toBeTruthy();
});

it('does not call what a person accepted as it is reviewed', async () => {
  const task = { id: '1', title: 'Guess', commit: 'a', failed_checks: ['unit'], open_findings: [] };
  expect(await said({}, ['a'], [task])).toBe(
    'Completed. 1 commit on amelia/fix. Your checkout is unchanged.“Guess” was accepted although the check unit fails.',
  );
});

it('shows the whole result of a run that has no branch', async () => {
  show({ ...OUTCOME, branch: null, summary: 'Rivers\n\nThey are long.', cost_usd: 0.5 }, null);
  expect(await screen.findByText(/They are long\./)).toBeTruthy();
  expect(screen.getByText('$0.5000')).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
});

it('shows the summary when it is asked for', async () => {
  const summary = 'It parses.\n\n- Accept it (abcdef1)';
  show({ ...OUTCOME, summary, commits: ['a'], deferred: [{}] });
  expect(screen.queryByText(/Accept it/)).toBeNull();
  screen.getByRole('button', { name: /It parses.*1 deferred finding/ }).click();
  expect(await screen.findByText(/Accept it \(abcdef1\)/)).toBeTruthy();
});

const MERGED = {
  branch: 'amelia/fix',
  into: 'main',
  method: 'merge',
  before: 'a',
  commit: 'fedcba9876',
  branch_deleted: false,
  undo: 'git reset --keep a',
  undone: null,
} as const;

it.each([
  [null, 'Merged into main as fedcba9.', null],
  [
    'removed',
    'Merge undone. main no longer has fedcba9. The change is on amelia/fix.',
    'Merge again',
  ],
  [
    'reverted',
    'Merge undone. main has commits that revert fedcba9. To get the change back, revert them.',
    null,
  ],
] as const)('offers to merge again what was undone: %s', (undone, words, button) => {
  show({ ...OUTCOME, merged: { ...MERGED, undone } });
  expect(screen.getByRole('region', { name: 'Result' }).querySelector('p')?.textContent).toBe(
    words,
  );
  const offered = screen.queryByRole('button', { name: /Merge/ });
  expect(offered?.textContent ?? null).toBe(button);
  // What undoes it stays on the page.
  expect(screen.queryByText('git reset --keep a') !== null).toBe(undone === null);
});
