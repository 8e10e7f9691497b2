import { describe, expect, it } from 'vitest';
import type { Finding } from '@/wire/Finding';
import type { FindingState } from '@/wire/FindingState';
import { commandIn, groupFindings, summaryOf } from './checkup';

const finding = (name: string, state: FindingState): Finding => ({
  name,
  state,
  message: '',
  hint: null,
});

describe('a checkup', () => {
  it('puts problems first', () => {
    const groups = groupFindings([
      finding('git', 'ok'),
      finding('keys', 'warning'),
      finding('disk', 'error'),
      finding('claude', 'optional'),
      finding('home', 'ok'),
    ]);
    expect(groups.map((group) => [group.state, group.findings.map((one) => one.name)])).toEqual([
      ['error', ['disk']],
      ['warning', ['keys']],
      ['ok', ['git', 'home']],
      ['optional', ['claude']],
    ]);
  });

  it.each<[FindingState[], string]>([
    [[], 'Everything is OK'],
    [['ok', 'ok'], 'Everything is OK'],
    [['ok', 'optional'], 'Everything is OK'],
    [['ok', 'warning'], '1 thing needs attention'],
    [['error', 'warning'], '2 things need attention'],
  ])('%j: %s', (states, text) => {
    expect(summaryOf(states.map((state) => finding('x', state)))).toBe(text);
  });

  it.each([
    [
      'npm install -g @openai/codex, or set its path in the profile',
      'npm install -g @openai/codex',
    ],
    ['run `codex login` once', 'codex login'],
    ['`amelia init` writes a first one', 'amelia init'],
    ['set one of OPENAI_API_KEY here', null],
    ['`claude` is not found', null],
  ])('%s', (hint, command) => expect(commandIn(hint)).toBe(command));
});
