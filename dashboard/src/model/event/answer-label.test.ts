import { describe, expect, it } from 'vitest';
import { eventOf, timeOf } from '@/test/events';
import type { HumanAction } from '@/wire/log/HumanAction';
import type { HumanKind } from '@/wire/log/HumanKind';
import { answerLabel, noteLabel } from './answer-label';

it.each<[HumanKind, HumanAction, string]>([
  ['approval', 'approve', 'Approved'],
  ['approval', 'modify', 'Approved'],
  ['approval', 'reject', 'Changes requested'],
  ['question', 'approve', 'Answered'],
  ['question', 'reject', 'Left to the agent'],
  ['rounds', 'approve', 'Continued'],
  ['rounds', 'modify', 'Accepted as is'],
  ['escalation', 'reject', 'Stopped'],
  ['budget', 'approve', 'Continued'],
  ['approval', 'timed_out', 'No answer in time'],
])('%s, %s: %s', (kind, action, words) => {
  expect(answerLabel({ action }, { kind })).toBe(words);
});

it('calls what a tool may do by its own words', () => {
  const asked = { kind: 'approval', context: { permission: { tool: 'Bash' } } } as const;
  expect(answerLabel({ action: 'approve' }, asked)).toBe('Allowed');
  expect(answerLabel({ action: 'reject' }, asked)).toBe('Denied');
});

describe('a line of the log', () => {
  const comment = { severity: 'low', text: 'x' } as const;
  const review = (approved: boolean, count: number) =>
    eventOf(1, {
      review: {
        completed: {
          round: 2,
          task: { id: '1', title: 't', index: 0, total: 1 },
          review: {
            persona: '',
            approved,
            severity: 'low',
            comments: Array.from({ length: count }, () => comment),
          },
        },
      },
    });
  it.each([
    [true, 0, 'task 1: review round 2: approved'],
    [false, 1, 'task 1: review round 2: changes requested, 1 comment'],
    [false, 2, 'task 1: review round 2: changes requested, 2 comments'],
  ])('of a review (%j, %d)', (approved, count, words) => {
    expect(noteLabel(review(approved, count), null)).toBe(words);
  });

  it('says an answer by what was asked', () => {
    const reply = { request: 'r', action: 'reject', at: timeOf(2), message: 'Less' } as const;
    const event = eventOf(2, { human: { replied: reply } });
    const asked = { id: 'r', kind: 'approval', by: 'system', at: timeOf(1), prompt: '?' } as const;
    expect(noteLabel(event, asked)).toBe('Changes requested: Less');
    expect(noteLabel(event, null)).toBe('rejected: Less');
  });
});
