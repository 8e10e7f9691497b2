import { afterEach, describe, expect, it } from 'vitest';
import { nameHome } from '@/model/cli/cli';
import { stranger } from '@/test/session';
import { commandToSignIn, homeToName } from './session';

describe('the home in commands', () => {
  it.each([
    ['the default one is never named', { home: '/u/.amelia', is_default_home: true }, null, null],
    ['nor what was there before', { home: null, is_default_home: true }, '/old', null],
    ['another one is', { home: '/demo', is_default_home: false }, '/old', '/demo'],
    ['as far as a stranger knows it', { home: null, is_default_home: false }, '/old', '/old'],
    ['or not at all', { home: null, is_default_home: false }, null, null],
  ])('%s', (_, session, before, named) => expect(homeToName(session, before)).toBe(named));
});

describe('the command that signs in', () => {
  afterEach(() => nameHome(null));
  it.each([
    ['before the server has answered', undefined, null, 'amelia dashboard', false],
    ['at the usual home', stranger, null, 'amelia dashboard', false],
    [
      'at a home that this browser knows',
      { ...stranger, is_default_home: false },
      '/demo',
      'amelia --home /demo dashboard',
      false,
    ],
    [
      'at one that it does not know',
      { ...stranger, is_default_home: false },
      null,
      'amelia --home DIR dashboard',
      true,
    ],
  ])('%s', (_, session, home, line, isToBeFilled) => {
    nameHome(home);
    expect(commandToSignIn(session)).toEqual({ line, isToBeFilled });
  });
});
