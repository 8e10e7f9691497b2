import { describe, expect, it } from 'vitest';
import { eventOf, said, timeOf } from '@/test/events';
import type { HumanAction } from '@/wire/log/HumanAction';
import type { HumanKind } from '@/wire/log/HumanKind';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
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

it('calls a no to an MCP server by its own word', () => {
  const asked = { kind: 'question', context: { elicitation: { asked: {} } } } as const;
  expect(answerLabel({ action: 'reject' }, asked)).toBe('Declined');
});

describe('a line of the log', () => {
  it('says what was filled in', () => {
    const context = { elicitation: { asked: {} } };
    const asked = {
      id: 'r',
      kind: 'question',
      by: 'd',
      at: timeOf(1),
      prompt: '?',
      context,
    } as const;
    const updates = { name: 'Ada', fish: ['f1'], age: 36 };
    const replied = { request: 'r', action: 'modify', at: timeOf(2), updates } as const;
    expect(noteLabel(eventOf(2, { human: { replied } }), asked)).toBe(
      'Answered: name=Ada; fish=["f1"]; age=36',
    );
  });

  const reply = { request: 'r', action: 'reject', at: timeOf(2), message: 'Less' } as const;
  const event = eventOf(2, { human: { replied: reply } }, { summary: 'rejected: Less' });

  it('is what the server says', () => {
    expect(noteLabel(event, null)).toBe('rejected: Less');
  });

  const question = (by: string, context: JsonValue) =>
    eventOf(1, {
      human: {
        requested: { id: 'r', kind: 'approval', by, at: timeOf(1), prompt: 'approve it?', context },
      },
    });

  it.each([
    ['system', {}, 'approve it?'],
    ['architect', {}, 'architect asks: approve it?'],
    ['developer', { permission: { tool: 'shell' } }, 'approve it?'],
  ])('says a question of %s in plain words', (by, context, words) => {
    expect(noteLabel(question(by, context), null)).toBe(words);
  });

  it('says what a run waits for', () => {
    const waits = eventOf(
      1,
      { run: { paused: { reason: 'approval' } } },
      { summary: 'waits: approval' },
    );
    expect(noteLabel(waits, null)).toBe('waiting for your approval');
  });

  it('is never empty', () => {
    expect(noteLabel(said(1, 1, 'developer', ''), null)).toBe('(no text)');
  });

  it('says an answer by what was asked', () => {
    const asked = { id: 'r', kind: 'approval', by: 'system', at: timeOf(1), prompt: '?' } as const;
    expect(noteLabel(event, asked)).toBe('Changes requested: Less');
  });
});
