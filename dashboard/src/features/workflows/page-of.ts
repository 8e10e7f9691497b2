import type { DefinitionKind } from '@/model/workflows/definition';

/** The page of a definition. */
export function pageOf(kind: DefinitionKind, name: string, repository: string): string {
  const query = new URLSearchParams({ repository });
  return `/${kind}s/${encodeURIComponent(name)}?${query}`;
}

/** The list that it is in. */
export const listOf = (repository: string) => `/workflows?${new URLSearchParams({ repository })}`;
