import { describe, expect, it } from 'vitest';
import { hintText } from './hint';

describe('a hint', () => {
  it.each([
    [
      'git remote add origin git@github.com:OWNER/NAME.git',
      '`git remote add origin git@github.com:OWNER/NAME.git`',
    ],
    ['amelia resume r4', '`amelia resume r4`'],
    ['amelia do "fix it, then test it"', '`amelia do "fix it, then test it"`'],
    ['amelia status lists all runs', 'amelia status lists all runs.'],
    ['amelia resume r4, or amelia cancel r4', 'amelia resume r4, or amelia cancel r4.'],
    ['run `codex login` once', 'Run `codex login` once.'],
    ['set a price', 'Set a price.'],
  ])('%s', (hint, text) => expect(hintText(hint)).toBe(text));
});
