import { expect, it } from 'vitest';
import { acceptedAsIs } from './accepted';

const task = (failed_checks: string[], open_findings: string[]) => ({
  id: '1',
  title: 'Guess',
  commit: 'a',
  failed_checks,
  open_findings,
});

it('names what was left when a task was accepted, and nothing else', () => {
  const tasks = [
    task([], []),
    task(['unit'], ['a', 'b']),
    task([], ['a']),
    task(['unit', 'lint'], []),
  ];
  expect(acceptedAsIs(tasks)).toEqual([
    '“Guess” was accepted although the check unit fails and 2 findings are open.',
    '“Guess” was accepted although 1 finding is open.',
    '“Guess” was accepted although the checks unit, lint fail.',
  ]);
});
