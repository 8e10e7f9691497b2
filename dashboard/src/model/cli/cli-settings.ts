// What the settings do, as commands for a terminal.

import { command } from './cli';

export const settingsCli = {
  profiles: () => command('config', 'profile', 'list'),
  editProfile: (name: string) => command('config', 'profile', 'edit', name),
  prompts: () => command('prompt', 'list'),
  editPrompt: (name: string) => command('prompt', 'edit', name),
  server: () => command('config', 'server', 'show'),
  stopServer: () => command('server', 'stop'),
  doctor: () => command('doctor'),
};
