// What the page of memory does, as commands for a terminal.

import { command, flag, positional } from './cli';

export const memoryCli = {
  list: (words: string, scope: string) => {
    const scoped = scope === '' ? [] : flag('scope', scope);
    if (words.trim() === '') return command('memory', 'list', ...scoped);
    return command('memory', 'search', ...scoped, ...positional(words.trim()));
  },
  show: (id: string) => command('memory', 'show', id),
};
