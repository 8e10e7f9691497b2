// Names of everything that is kept from the server. One place, so that what is made old is what was read.

export const keys = {
  runs: ['runs'] as const,
  list: (filter: object) => ['runs', filter] as const,
  inbox: ['inbox'] as const,
  everyRun: ['run'] as const,
  run: (id: string) => ['run', id] as const,
  detail: (id: string) => ['run', id, 'detail'] as const,
  of: (id: string, what: string, ...more: unknown[]) => ['run', id, what, ...more] as const,
  compare: (a: string, b: string) => ['compare', a, b] as const,
  usage: (filter: object) => ['usage', filter] as const,
  profiles: ['profiles'] as const,
  prompts: ['prompts'] as const,
  prompt: (name: string) => ['prompts', name] as const,
  settings: ['settings'] as const,
  server: ['settings', 'server'] as const,
  repositories: ['repositories'] as const,
  look: (path: string) => ['repositories', path] as const,
  issues: (filter: object) => ['issues', filter] as const,
  everyDefinition: ['definitions'] as const,
  definitions: (kind: string, repository: string) => ['definitions', kind, repository] as const,
  definition: (kind: string, repository: string, name: string, text?: string) =>
    ['definitions', kind, repository, name, text] as const,
  mcpServers: ['mcp'] as const,
  doctor: (repository: string) => ['doctor', repository] as const,
  health: ['health'] as const,
  session: ['session'] as const,
};
