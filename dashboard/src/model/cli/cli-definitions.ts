// What the pages of workflows, teams and MCP servers do, as commands for a terminal.

import type { DefinitionKind } from '@/model/workflows/definition';
import { command, flag, inside, positional } from './cli';

export type RunOptions = {
  directory: string;
  name: string;
  prompt: string;
  /** As they are typed. */
  inputs: Readonly<Record<string, string>>;
  breakpoints?: readonly string[];
};

const inputWords = (inputs: RunOptions['inputs']) =>
  Object.entries(inputs).flatMap(([name, value]) => flag('input', `${name}=${value}`));

const stopWords = (rule: string) => flag('breakpoint', rule);

const run = (
  kind: DefinitionKind,
  { directory, name, prompt, inputs, breakpoints = [] }: RunOptions,
) =>
  inside(
    directory,
    command(
      kind,
      'run',
      ...inputWords(inputs),
      ...breakpoints.flatMap(stopWords),
      name,
      ...(prompt ? positional(prompt) : []),
    ),
  );

export const definitionsCli = {
  list: (directory: string) => inside(directory, command('workflow', 'list')),
  listTeams: (directory: string) => inside(directory, command('team', 'list')),
  run,
  servers: () => command('mcp', 'list'),
  tools: (server: string) => command('mcp', 'tools', server),
  call: (tool: string, args: string) => command('mcp', 'call', tool, args),
};
