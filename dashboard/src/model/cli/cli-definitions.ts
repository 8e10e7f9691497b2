// What the pages of workflows and MCP servers do, as commands for a terminal.

import { command, flag, inside, positional } from './cli';

export type RunOptions = {
  directory: string;
  name: string;
  prompt: string;
  /** As they are typed. */
  inputs: Readonly<Record<string, string>>;
};

const inputWords = (inputs: RunOptions['inputs']) =>
  Object.entries(inputs).flatMap(([name, value]) => flag('input', `${name}=${value}`));

const run = (kind: 'workflow' | 'agent', { directory, name, prompt, inputs }: RunOptions) =>
  inside(
    directory,
    command(kind, 'run', ...inputWords(inputs), name, ...(prompt ? positional(prompt) : [])),
  );

export const definitionsCli = {
  list: (directory: string) => inside(directory, command('workflow', 'list')),
  runWorkflow: (options: RunOptions) => run('workflow', options),
  runAgent: (options: RunOptions) => run('agent', options),
  servers: () => command('mcp', 'list'),
  tools: (server: string) => command('mcp', 'tools', server),
  call: (tool: string, args: string) => command('mcp', 'call', tool, args),
};
