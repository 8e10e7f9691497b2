import { describe, expect, it } from 'vitest';
import { type Comment, diffMessage, followUpTitle, placeLabel, planFeedback } from './comments';

const plan = (start: number, end: number, section: string, text: string): Comment => ({
  id: String(start),
  place: { kind: 'plan', revision: 1, start, end, section, quote: 'a\nb\nc\nd\ne\nf' },
  text,
  at: '',
  sentAt: null,
});
const diff = (path: string, line: number, text: string, side: 'old' | 'new' = 'new'): Comment => ({
  id: path,
  place: { kind: 'diff', path, side, line, quote: 'let x = 1;' },
  text,
  at: '',
  sentAt: null,
});

describe('comments become one message', () => {
  it('to the Architect, in the order of the plan, with the note first', () => {
    const comments = [plan(9, 9, '', 'Why?\n'), plan(2, 7, 'Task 1', ' Smaller, please. ')];
    expect(planFeedback(comments, '\nMostly good.\n')).toBe(
      'Mostly good.\n\nOn Task 1 (lines 2–7):\n> a\n> b\n> c\n> d\n> … 2 more\nSmaller, please.\n\nOn Plan, line 9:\n> a\n> b\n> c\n> d\n> … 2 more\nWhy?',
    );
  });

  it('to the Developer, by file and line', () => {
    const comments = [diff('b.rs', 3, 'Why 1?'), diff('a.rs', 7, 'Keep it.', 'old')];
    expect(diffMessage(comments, '')).toBe(
      '2 comments on the change:\n\na.rs:7 (removed)\n> let x = 1;\nKeep it.\n\nb.rs:3\n> let x = 1;\nWhy 1?',
    );
    expect(diffMessage([], 'Only a note')).toBe('Only a note');
  });

  it('or a new run with a headline', () => {
    const one = diff('a', 1, 'Name it\nproperly');
    expect(followUpTitle('Sum', [one])).toBe('Name it');
    expect(followUpTitle('Sum', [one, one])).toBe('Comments on: Sum');
    expect(followUpTitle('Sum', [diff('a', 1, 'x'.repeat(90))])).toHaveLength(72);
  });

  it.each([
    [plan(3, 3, 'Task 2', ''), 'Task 2 (line 3)'],
    [diff('x y.rs', 2, '', 'old'), 'x y.rs:2 (removed)'],
  ])('names its place', (comment, wanted) => {
    expect(placeLabel(comment.place)).toBe(wanted);
  });
});
