import { describe, expect, it } from 'vitest';
import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import type { Mark } from './facts';
import { checkpointAt, markBeside, sliderMarks, thinned } from './marks';

const checkpoint = (number: number, sequence: number): CheckpointSummary => ({
  number,
  sequence,
  created_at: '2026-11-15T12:00:00Z',
  nodes: ['plan'],
  is_snapshot: false,
  bytes: 1,
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
