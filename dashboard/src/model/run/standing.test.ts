import { describe, expect, it } from 'vitest';
import { detailOf } from '@/test/detail';
import type { RunView } from '@/wire/log/RunView';
import { emptyView } from './run-view';
import { type Can, canOf, standingOf, viewOf } from './standing';

const why = (waiting_for: string) => ({ waiting_for, since: null, message: '', unblock: '' });
const view = (status: RunView['status']): RunView => ({ ...emptyView(), status });
const able = (can: Can) =>
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
    ['failed', 'retry', 'failed', 'Failed', ['say']],
    ['completed', '', 'done', 'Done', []],
    ['cancelled', '', 'cancelled', 'Cancelled', []],
  ])('%j with %s', (status, waits, tone, word, can) => {
    const detail = detailOf({ why: why(waits) });
    const standing = standingOf(detail, view(status));
    expect([standing.tone, standing.word]).toEqual([tone, word]);
    expect(able(canOf(detail, standing))).toEqual(can);
  });

  it('takes the limits of the log before those of the order', () => {
    const limited = { ...view('running'), budget: { tokens: 300 } };
    expect(standingOf(detailOf(), limited).budget).toMatchObject({ usd: null, tokens: 300 });
    expect(standingOf(detailOf(), view('running')).budget.usd).toBe(2);
  });

  it('is told by the server until the log is here', () => {
    const detail = detailOf({ status: 'paused', why: why('budget') });
    const standing = standingOf(detail, viewOf(detail));
    expect(standing.waiting).toBe('budget');
    expect([standing.nodes, standing.visits.get('plan'), standing.spend.tokens]).toEqual([
      ['plan'],
      2,
      7,
    ]);
  });
});
