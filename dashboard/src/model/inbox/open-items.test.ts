import { expect, it } from 'vitest';
import { runStateOf } from '@/model/run/run-state';
import { emptyView } from '@/model/run/run-view';
import { detailOf } from '@/test/detail';
import type { RunView } from '@/wire/log/RunView';
import { inboxOf } from './inbox';
import { openItems } from './open-items';

const question = {
  request_id: 'ask',
  workflow_id: 'run',
  short_id: 'r1',
  title: 'A run',
  kind: 'rounds',
  agent: 'system',
  prompt: 'go on?',
  context: null,
  can_accept: false,
  about_checks: false,
  requested_at: '2026-11-15T10:00:00Z',
  deadline: null,
  on_timeout: 'reject' as const,
};

it.each<[string, RunView['status'], string[]]>([
  ['rounds', { waiting: 'rounds' }, ['rounds']],
  // Answered: the log knows it before the server is asked again.
  ['rounds', 'running', []],
  ['retry', 'failed', ['failed']],
  ['retry', 'running', []],
  ['key', 'failed', ['key']],
  ['key', 'running', []],
  ['resume', 'running', ['interrupted']],
  ['resume', 'completed', []],
])(
  'what the server says (%s) holds as long as the log does not say otherwise (%j)',
  (waits, status, kinds) => {
    const detail = detailOf({
      why: { waiting_for: waits, since: null, message: '', unblock: '' },
      pending_requests: waits === 'rounds' ? [question] : [],
    });
    const items = inboxOf(detail.pending_requests, [detail]);
    const runState = runStateOf(detail, { ...emptyView(), status });
    expect(openItems(items, runState).map(({ kind }) => kind)).toEqual(kinds);
  },
);
