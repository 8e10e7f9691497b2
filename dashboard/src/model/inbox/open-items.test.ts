import { expect, it } from 'vitest';
import { runStateOf } from '@/model/run/run-state';
import { emptyView } from '@/model/run/run-view';
import { detailOf, pendingOf } from '@/test/detail';
import type { RunView } from '@/wire/log/RunView';
import { inboxOf } from './inbox';
import { openItems } from './open-items';

const question = pendingOf();

const asks = (id: string): RunView['pending'] => [
  { id, kind: 'rounds', by: 'system', at: question.requested_at, prompt: 'go on?' },
];

it.each<[string, RunView['status'], string[], RunView['pending']?]>([
  ['rounds', { waiting: 'rounds' }, ['rounds'], asks('ask')],
  // Answered: the log knows it before the server is asked again.
  ['rounds', 'running', []],
  ['rounds', { waiting: 'rounds' }, [], asks('another')],
  ['rounds', 'running', ['rounds'], asks('ask')],
  ['rounds', 'cancelled', [], asks('ask')],
  ['retry', 'failed', ['failed']],
  ['retry', 'running', []],
  ['key', 'failed', ['key']],
  ['key', 'running', []],
  ['resume', 'running', ['interrupted']],
  ['resume', 'completed', []],
])(
  'what the server says (%s) holds as long as the log does not say otherwise (%j)',
  (waits, status, kinds, pending = []) => {
    const detail = detailOf({
      why: { waiting_for: waits, since: null, message: '', unblock: '' },
      pending_requests: waits === 'rounds' ? [question] : [],
    });
    const items = inboxOf(detail.pending_requests, [detail]);
    const runState = runStateOf(detail, { ...emptyView(), status, pending });
    expect(openItems(items, runState).map(({ kind }) => kind)).toEqual(kinds);
  },
);
