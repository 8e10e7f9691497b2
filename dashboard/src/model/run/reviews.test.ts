import { describe, expect, it } from 'vitest';
import type { Disposition } from '@/wire/log/Disposition';
import type { TaskRef } from '@/wire/log/TaskRef';
import type { EvaluationFact, ReviewFact } from './facts';
import { roundsOf } from './reviews';

const task: TaskRef = { id: '1', title: 'One', index: 0, total: 1 };
const review = (seq: number, round: number, persona: string, ...texts: string[]): ReviewFact => ({
  seq,
  at: '',
  step: null,
  round,
  task,
  review: {
    persona,
    approved: texts.length === 0,
    severity: 'low',
    comments: texts.map((text) => ({ text })),
  },
});
const evaluation = (
  seq: number,
  round: number,
  ...items: [number, string, Disposition][]
): EvaluationFact => ({
  seq,
  at: '',
  step: null,
  round,
  task,
  evaluation: {
    summary: 's',
    items: items.map(([number, issue, disposition]) => ({
      number,
      issue,
      disposition,
      title: '',
      file: '',
      line: 0,
      reason: '',
      suggestion: '',
    })),
  },
});

const facts = {
  reviews: [review(1, 1, 'A', 'x', 'y'), review(2, 1, 'B', 'z'), review(5, 2, 'A')],
  evaluations: [evaluation(3, 1, [1, 'z', 'reject'], [2, 'other words', 'defer'])],
};

const rowsAt = (at: number | null) =>
  roundsOf(facts, at).map(({ round, findings, verdicts }) => [
    round,
    verdicts.length,
    findings.map(({ comment, decision }) => `${comment.text}:${decision?.disposition ?? ''}`),
  ]);

describe('rounds of review', () => {
  it('hold all reviewers and the decision about each finding', () => {
    expect(rowsAt(null)).toEqual([
      [1, 2, ['x:', 'y:defer', 'z:reject']],
      [2, 1, []],
    ]);
  });

  it('are as they were at a moment', () => {
    expect(rowsAt(2)).toEqual([[1, 2, ['x:', 'y:', 'z:']]]);
    expect(rowsAt(0)).toEqual([]);
  });
});
