import type { DefinitionKind } from '@/model/workflows/definition';

const inRepository = (path: string, repository: string) =>
  `${path}?${new URLSearchParams({ repository })}`;

/** The page of a definition. */
export const pageOf = (kind: DefinitionKind, name: string, repository: string): string =>
  inRepository(`/${kind}s/${encodeURIComponent(name)}`, repository);

/** The list that it is in. */
export const listOf = (kind: DefinitionKind, repository: string) =>
  inRepository(kind === 'team' ? '/teams' : '/workflows', repository);

/** What that list is called. */
export const allOf = (kind: DefinitionKind) => (kind === 'team' ? 'All teams' : 'All workflows');

/** The page on which a team is written. */
export const newTeam = (repository: string) => inRepository('/new-team', repository);
