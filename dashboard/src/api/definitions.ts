// Agents, workflows and teams from files, and teams that are kept by the server.

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type {
  Checked,
  Definition,
  DefinitionDetail,
  DefinitionKind,
} from '@/model/workflows/definition';
import type { AgentDetail } from '@/wire/AgentDetail';
import type { AgentSummary } from '@/wire/AgentSummary';
import type { CheckedAgent } from '@/wire/CheckedAgent';
import type { CheckedGraph } from '@/wire/CheckedGraph';
import type { CheckedTeam } from '@/wire/CheckedTeam';
import type { DefinitionText } from '@/wire/DefinitionText';
import type { GraphDetail } from '@/wire/GraphDetail';
import type { GraphSummary } from '@/wire/GraphSummary';
import type { Page } from '@/wire/Page';
import type { TeamDetail } from '@/wire/TeamDetail';
import type { TeamSummary } from '@/wire/TeamSummary';
import { get, post } from './http';
import { keys } from './keys';

const PATHS: Record<DefinitionKind, string> = {
  workflow: '/graphs',
  agent: '/agents',
  team: '/teams',
};
const pathOf = (kind: DefinitionKind, name: string, more = '') =>
  `${PATHS[kind]}/${encodeURIComponent(name)}${more}`;

/** What some kinds do not have. */
const NOTHING = { notes: [], inputs: [], graph: null };

/** Those of a repository and of the home; without a repository, those of the home. */
export function useDefinitions(kind: DefinitionKind, repository: string) {
  return useQuery({
    queryKey: keys.definitions(kind, repository),
    queryFn: async ({ signal }): Promise<Definition[]> => {
      const query = { worktree_path: repository };
      const page = await get<Page<GraphSummary | AgentSummary | TeamSummary>>(
        PATHS[kind],
        query,
        signal,
      );
      return page.items.map((item) => ({ ...NOTHING, ...item }));
    },
    placeholderData: keepPreviousData,
  });
}

export function useDefinition(
  kind: DefinitionKind,
  repository: string,
  name: string,
  enabled: boolean,
) {
  return useQuery({
    enabled,
    queryKey: keys.definition(kind, repository, name),
    queryFn: async ({ signal }): Promise<DefinitionDetail> => {
      const query = { worktree_path: repository };
      const shown = await get<GraphDetail | AgentDetail | TeamDetail>(
        pathOf(kind, name),
        query,
        signal,
      );
      return { ...NOTHING, ...shown };
    },
    retry: false,
  });
}

/** A text that is not saved, checked as the file of `name`. */
export function useCheckedText(
  kind: DefinitionKind,
  repository: string,
  name: string,
  text: string | null,
) {
  return useQuery({
    queryKey: keys.definition(kind, repository, name, text ?? ''),
    queryFn: async (): Promise<Checked> => {
      const body: DefinitionText = { text: text ?? '', worktree_path: repository || null };
      // A team is checked by the name that it has in the text.
      const path = kind === 'team' ? '/teams/validate' : pathOf(kind, name, '/validate');
      return { ...NOTHING, ...(await post<CheckedGraph | CheckedAgent | CheckedTeam>(path, body)) };
    },
    enabled: text !== null,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
}
