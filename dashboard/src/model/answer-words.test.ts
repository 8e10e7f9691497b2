import { expect, it } from 'vitest';
import type { HumanAction } from '@/wire/log/HumanAction';
import type { HumanKind } from '@/wire/log/HumanKind';
import { answerInWords } from './answer-words';

it.each<[HumanKind, HumanAction, string]>([
  ['approval', 'approve', 'Approved'],
  ['approval', 'modify', 'Approved'],
  ['approval', 'reject', 'Changes requested'],
  ['question', 'approve', 'Answered'],
  ['question', 'reject', 'Left to the agent'],
  ['rounds', 'approve', 'Told to go on'],
  ['rounds', 'modify', 'Accepted as it is'],
  ['escalation', 'reject', 'Told to stop'],
  ['budget', 'approve', 'Told to go on'],
  ['approval', 'timed_out', 'Nobody answered in time'],
])('%s, %s: %s', (kind, action, words) => {
  expect(answerInWords({ action }, { kind })).toBe(words);
});

it('calls what a tool may do by its own words', () => {
  const asked = { kind: 'approval', context: { permission: { tool: 'Bash' } } } as const;
  expect(answerInWords({ action: 'approve' }, asked)).toBe('Allowed');
  expect(answerInWords({ action: 'reject' }, asked)).toBe('Denied');
});
