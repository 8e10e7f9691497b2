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
  expect(acceptedAsIs([task([], []), task(['unit'], ['a', 'b']), task([], ['a'])])).toEqual([
    '“Guess” was accepted although unit fails, 2 findings are open.',
    '“Guess” was accepted although 1 finding is open.',
  ]);
});
