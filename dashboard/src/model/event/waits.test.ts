import { expect, it } from 'vitest';
import { eventOf } from '@/test/events';
import { addWait, type Wait } from './waits';

it('lasts while a person changes the state of the run, and ends when the run goes on', () => {
  const waits: Wait[] = [];
  const edits = [{ path: 'metadata.score', before: '0.4', after: 0.9 }];
  addWait(waits, eventOf(1, { run: { paused: { reason: 'question' } } }));
  addWait(waits, eventOf(2, { run: { state_edited: { edits } } }));
  expect(waits.map(({ fromSeq, toSeq }) => [fromSeq, toSeq])).toEqual([[1, null]]);
  addWait(waits, eventOf(3, { run: { resumed: { reason: 'replied' } } }));
  expect(waits.map(({ fromSeq, toSeq }) => [fromSeq, toSeq])).toEqual([[1, 3]]);
});
