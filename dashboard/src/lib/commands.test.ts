import { expect, it } from 'vitest';
import { type Command, groupsOf } from './commands';

const command = (group: string, id = group): Command => ({ id, label: id, group, run: () => {} });

it('offers what the page can do before what works everywhere', () => {
  const groups = groupsOf([
    ...['Help', 'Go to', 'Appearance', 'Needs you', 'Runs'].map((group) => command(group)),
    command('This run', 'fork'),
    command('This run', 'archive'),
  ]);
  expect(groups.map(([group, commands]) => [group, commands.map(({ id }) => id)])).toEqual([
    ['Needs you', ['Needs you']],
    ['This run', ['fork', 'archive']],
    ['Go to', ['Go to']],
    ['Runs', ['Runs']],
    ['Appearance', ['Appearance']],
    ['Help', ['Help']],
  ]);
});
