import { cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, describe, expect, it } from 'vitest';
import { summaryOf } from '@/test/summary';
import type { RunSummary } from '@/wire/RunSummary';
import { RunCard } from './run-card';

afterEach(cleanup);

function show(more: Partial<RunSummary>) {
  const { container } = render(
    <MemoryRouter>
      <RunCard run={summaryOf(more)} />
    </MemoryRouter>,
  );
  return container;
}

const why = { waiting_for: 'work', since: null, message: '', unblock: '' };
const activity = { agent: 'developer', at: '2026-11-15T10:00:00Z', text: 'shell make' };
const task = { id: '1', title: 'One', index: 0, total: 2 };

describe('a card of the board', () => {
  it.each<[string, Partial<RunSummary>]>([
    ['has just begun', { why }],
    ['has been cancelled before it began', { status: 'cancelled' }],
    ['works', { why, activity, agents: ['developer'] }],
  ])('has no empty label when its run %s', (_, more) => {
    const empty = [...show(more).querySelectorAll('span, div')].filter(
      (element) => element.textContent === '' && element.getAttribute('aria-hidden') === null,
    );
    expect(empty.map((element) => element.outerHTML)).toEqual([]);
  });

  it('names a run without an issue by its short id', () => {
    show({ issue_id: null, short_id: 'r12' });
    expect(screen.getByText('r12')).toBeTruthy();
  });

  it('says of a merged run that it is merged', () => {
    const merged = {
      branch: 'amelia/fix',
      into: 'main',
      method: 'merge',
      before: 'a',
      commit: 'b',
      branch_deleted: false,
      undo: null,
      undone: null,
    } as const;
    show({ status: 'completed', merged });
    expect(screen.getByText('Merged')).toBeTruthy();
    expect(screen.getByText('Merged into main')).toBeTruthy();
    cleanup();
    show({ status: 'completed', merged: { ...merged, undone: 'removed' } });
    expect(screen.getAllByText('Merge undone')).toHaveLength(2);
    expect(screen.queryByText('Merged into main')).toBeNull();
    cleanup();
    show({ status: 'completed' });
    expect(screen.getByText('Completed')).toBeTruthy();
  });

  it('shows work only while there is some', () => {
    expect(show({ why, task }).querySelector('.bg-running')).toBeTruthy();
    cleanup();
    expect(show({ status: 'cancelled', task }).querySelector('.bg-running')).toBeNull();
  });
});
