import { describe, expect, it } from 'vitest';
import { entered, eventOf, left } from '@/test/events';
import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import type { Mark } from './facts';
import { checkpointAt, checkpointName, markBeside, sliderMarks, thinned } from './marks';
import { RunLog } from './run-log';

const checkpoint = (number: number, sequence: number): CheckpointSummary => ({
  number,
  sequence,
  created_at: '2026-11-15T12:00:00Z',
  nodes: ['plan'],
  is_snapshot: false,
  bytes: 1,
  is_damaged: false,
});
const mark = (seq: number, kind: Mark['kind']): Mark => ({
  seq,
  kind,
  label: kind,
  at: '2026-11-15T12:00:00Z',
});

const points = [checkpoint(1, 4), checkpoint(2, 20)];
const all = sliderMarks([mark(5, 'commit'), mark(30, 'failed')], points);

describe('the marks of the slider', () => {
  it('stand in the order of the log, checkpoints among them', () => {
    expect(all.map(({ seq, kind }) => [seq, kind])).toEqual([
      [4, 'checkpoint'],
      [5, 'commit'],
      [20, 'checkpoint'],
      [30, 'failed'],
    ]);
    expect(all[0]?.label).toBe('Checkpoint 1, before plan');
  });

  it('are as many as there is room; the one that says more stays', () => {
    expect(thinned(all, 100, 100).map(({ seq }) => seq)).toEqual([4, 5, 20, 30]);
    expect(thinned(all, 1_000, 10).map(({ kind }) => kind)).toEqual(['failed']);
    expect(thinned(all, 10, 10).map(({ seq }) => seq)).toEqual([4, 5]);
  });

  it('are stepped through', () => {
    expect([markBeside(all, 5, 1)?.seq, markBeside(all, 5, -1)?.seq]).toEqual([20, 4]);
    expect([markBeside(all, 30, 1), markBeside(all, 4, -1)]).toEqual([null, null]);
  });

  it('name the checkpoint that a fork begins at', () => {
    expect([3, 4, 19, 20, null].map((seq) => checkpointAt(points, seq)?.number)).toEqual([
      undefined,
      1,
      1,
      2,
      2,
    ]);
  });
});

describe('a checkpoint', () => {
  const task = { id: '2', title: 'Say how', index: 1, total: 2 };
  const log = new RunLog('run');
  log.append([
    entered(1, 'plan', 1),
    left(2, 'plan', 1),
    entered(3, 'develop', 2),
    eventOf(4, { task: { started: task } }, { step: 2 }),
    left(6, 'develop', 2),
    entered(7, 'commit', 3),
    eventOf(8, { task: { completed: task } }, { step: 3 }),
    left(9, 'commit', 3),
    entered(10, 'finish', 4),
  ]);
  it.each([
    [0, ['plan'], '1 · before plan'],
    [2, ['develop'], '1 · before develop, task 2: Say how'],
    // It is under way.
    [5, ['develop'], '1 · before develop, task 2: Say how'],
    [6, ['commit'], '1 · before commit, task 2: Say how'],
    [9, ['finish'], '1 · before finish'],
    [11, [], '1 · before the end'],
    // No event has that number yet.
    [11, ['develop'], '1 · before develop'],
  ])('at #%d, before %j', (sequence, nodes, name) => {
    const one = {
      number: 1,
      sequence,
      nodes,
      created_at: '',
      is_snapshot: false,
      bytes: 0,
      is_damaged: false,
    };
    expect(checkpointName(one, log.transcript)).toBe(name);
  });
});
