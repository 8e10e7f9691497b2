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
  const grant = { agent: 'developer', rule: 'Bash(ls)' };
  expect(answerLabel({ action: 'approve', grant: { ...grant, lasts: 'run' } }, asked)).toBe(
    'Allowed in this run: Bash(ls)',
  );
  expect(answerLabel({ action: 'approve', grant: { ...grant, lasts: 'always' } }, asked)).toBe(
    'Always allowed: Bash(ls)',
  );
});

describe('a line of the log', () => {
  const reply = { request: 'r', action: 'reject', at: timeOf(2), message: 'Less' } as const;
  const event = eventOf(2, { human: { replied: reply } }, { summary: 'rejected: Less' });

  it('is what the server says', () => {
    expect(noteLabel(event, null)).toBe('rejected: Less');
  });

  it('says an answer by what was asked', () => {
    const asked = { id: 'r', kind: 'approval', by: 'system', at: timeOf(1), prompt: '?' } as const;
    expect(noteLabel(event, asked)).toBe('Changes requested: Less');
  });
});
