import { expect, it } from 'vitest';
import { runStateOf } from '@/model/run/run-state';
import { emptyView } from '@/model/run/run-view';
import { detailOf } from '@/test/detail';
import type { RunView } from '@/wire/log/RunView';
import { notStarted } from './not-started';

it.each<[RunView['status'], string, string | null]>([
  ['pending', 'start', 'Not started. Start it when you are ready.'],
  ['pending', 'turn', 'Queued. It starts automatically when a slot is free.'],
  // The log has come further than what the server said before.
  ['running', 'start', null],
  ['running', 'work', null],
  ['completed', '', null],
])('a run that is %j and waits for "%s" has begun, or says why not', (status, waits, words) => {
  const detail = detailOf({
    why: { waiting_for: waits, since: null, message: '', unblock: '' },
  });
  const said = notStarted(detail, runStateOf(detail, { ...emptyView(), status }));
  expect(said && `${said.title} ${said.message}`).toBe(words);
});
