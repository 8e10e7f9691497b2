import { describe, expect, it } from 'vitest';
import { inboxOf } from '@/model/inbox/inbox';
import { detailOf, pendingOf } from '@/test/detail';
import type { RunView } from '@/wire/log/RunView';
import {
  type AllowedActions,
  allowedActionsOf,
  mergedByHand,
  runStateOf,
  viewOf,
} from './run-state';
import { emptyView } from './run-view';

const why = (waiting_for: string) => ({ waiting_for, since: null, message: '', unblock: '' });
const view = (status: RunView['status']): RunView => ({ ...emptyView(), status });
const able = (can: AllowedActions) =>
  Object.entries(can)
    .filter(([, is]) => is)
    .map(([name]) => name);

describe('where a run stands', () => {
  it.each<[RunView['status'], string, string, string, string[]]>([
    ['pending', 'start', 'queued', 'Queued', ['start', 'cancel', 'say']],
    ['running', 'work', 'running', 'Running', ['pause', 'cancel', 'say']],
    ['running', 'resume', 'paused', 'Interrupted', ['cancel', 'say']],
    [{ waiting: 'approval' }, 'approval', 'needs-you', 'Needs approval', ['cancel', 'say']],
    [{ waiting: 'question' }, 'question', 'needs-you', 'Has a question', ['cancel', 'say']],
    [{ waiting: 'pause' }, 'pause', 'paused', 'Paused', ['cancel', 'step', 'say']],
    [{ waiting: 'step' }, 'step', 'paused', 'Step by step', ['cancel', 'say']],
    [{ waiting: 'budget' }, 'budget', 'needs-you', 'Budget reached', ['cancel', 'say']],
    ['failed', 'retry', 'failed', 'Failed', ['say', 'archive']],
    ['completed', '', 'done', 'Completed', ['archive']],
    ['cancelled', '', 'cancelled', 'Cancelled', ['archive']],
  ])('%j with %s', (status, waits, tone, word, can) => {
    const detail = detailOf({ why: why(waits) });
    const runState = runStateOf(detail, view(status));
    expect([runState.tone, runState.word]).toEqual([tone, word]);
    expect(able(allowedActionsOf(detail, runState))).toEqual(can);
  });

  it.each([
    ['failing_checks', 'Checks fail'],
    ['missing_program', 'A check cannot run'],
    ['review_rounds', 'Rounds used up'],
  ])('%s is said as on the command line', (asks, word) => {
    const pending_requests = [pendingOf({ kind: 'rounds', context: { asks } })];
    const detail = detailOf({ status: 'paused', why: why('rounds'), pending_requests });
    expect(runStateOf(detail, viewOf(detail)).word).toBe(word);
    expect(inboxOf(pending_requests, []).map(({ what }) => what)).toEqual([word]);
  });

  it('is merged once its change is, as on the command line', () => {
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
    const outcome = { summary: null, tasks: [], deferred: [], cost_usd: null, branch: null };
    const detail = detailOf({
      status: 'completed',
      outcome: { ...outcome, commits: [], merged, pull_request: null },
    });
    expect(runStateOf(detail, { ...view('completed'), merged }).word).toBe('Merged');
    expect(runStateOf(detail, viewOf(detail)).word).toBe('Merged');
    // At a moment before the merge, it was not.
    expect(runStateOf(detail, view('completed')).word).toBe('Completed');
    // Another commit has brought the changes, so the server names no merge.
    const again = detailOf({
      status: 'completed',
      outcome: { ...outcome, commits: [], merged: null, pull_request: null },
    });
    expect(runStateOf(again, { ...view('completed'), merged }).word).toBe('Merged');
    const undone = detailOf({
      status: 'completed',
      outcome: {
        ...outcome,
        commits: [],
        merged: { ...merged, undone: 'removed' },
        pull_request: null,
      },
    });
    expect(runStateOf(undone, { ...view('completed'), merged }).word).toBe('Merge undone');
    expect(runStateOf(undone, viewOf(undone)).word).toBe('Merge undone');
  });

  it('is merged where a person has merged it with git', () => {
    const word = (status: RunView['status'], into: string | null) =>
      mergedByHand(runStateOf(detailOf({}), view(status)), into).word;
    expect(word('completed', 'main')).toBe('Merged');
    expect(word('completed', null)).toBe('Completed');
    expect(word('failed', 'main')).toBe('Failed');
  });

  it('needs a key where the command line says so, and can be done what a failed run can', () => {
    const detail = detailOf({
      status: 'failed',
      error: '`A_KEY` is not set',
      why: { ...why('key'), message: '`A_KEY` is not set' },
    });
    const failure = { code: 'missing_key', message: '`A_KEY` is not set' };
    for (const one of [viewOf(detail), { ...view('failed'), failure }]) {
      const runState = runStateOf(detail, one);
      expect([runState.tone, runState.word]).toEqual(['needs-you', 'Needs a key']);
      expect(able(allowedActionsOf(detail, runState))).toEqual(['say', 'archive']);
    }
  });

  it('takes the limits of the log before those of the order', () => {
    const limited = { ...view('running'), budget: { tokens: 300 } };
    expect(runStateOf(detailOf(), limited).budget).toMatchObject({ usd: null, tokens: 300 });
    expect(runStateOf(detailOf(), view('running')).budget.usd).toBe(2);
  });

  it('comes from the server until the log is here', () => {
    const detail = detailOf({ status: 'paused', why: why('budget') });
    const runState = runStateOf(detail, viewOf(detail));
    expect(runState.waiting).toBe('budget');
    expect([runState.nodes, runState.visits.get('plan'), runState.spend.tokens]).toEqual([
      ['plan'],
      2,
      7,
    ]);
  });
});
