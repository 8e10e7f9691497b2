// What the start page needs from the server: repositories and issues.

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDebounced } from '@/lib/use-debounced';
import type { IssueShown } from '@/wire/IssueShown';
import type { KnownRepository } from '@/wire/KnownRepository';
import type { Page } from '@/wire/Page';
import type { RepositoryLook } from '@/wire/RepositoryLook';
import { get } from './http';
import { keys } from './keys';

/** Repositories of earlier runs, newest first. */
export function useRepositories() {
  return useQuery({
    queryKey: keys.repositories,
    queryFn: async ({ signal }) =>
      (await get<Page<KnownRepository>>('/repositories', { limit: 100 }, signal)).items,
  });
}

/** What is at a path, as far as it is typed. */
export function useLook(path: string) {
  return useQuery({
    queryKey: keys.look(path),
    queryFn: ({ signal }) => get<RepositoryLook>('/repositories/look', { path }, signal),
    enabled: path !== '',
    placeholderData: keepPreviousData,
    staleTime: 2_000,
  });
}

/** A directory to choose; `lastUsed` when runs were started there. */
export type RepositoryChoice = { path: string; lastUsed: string | null; isOfProfile: boolean };

/** What to suggest for a path that is being typed, and what is there. `known` are directories of profiles. */
export function useRepositoryChoices(typed: string, known: readonly string[]) {
  const path = typed.trim();
  const rested = useDebounced(path, 250);
  const recents = useRepositories();
  const look = useLook(rested);
  const isTyped = path !== '' && typed !== look.data?.root;
  const fits = (one: string) => !isTyped || one.toLowerCase().includes(path.toLowerCase());
  const choices: RepositoryChoice[] = [];
  const add = (choice: string, lastUsed: string | null, isOfProfile: boolean) => {
    if (choices.some((one) => one.path === choice)) return;
    choices.push({ path: choice, lastUsed, isOfProfile });
  };
  for (const recent of recents.data ?? [])
    if (fits(recent.path)) add(recent.path, recent.last_used, false);
  for (const one of known.filter(fits)) add(one, null, true);
  const there = look.data?.path === rested ? look.data.suggestions : [];
  for (const one of there) if (one !== typed) add(one, null, false);
  return { choices, rested, look, isSettled: rested === path && !look.isFetching };
}

export type IssueFilter = { profile?: string; worktree_path?: string; q?: string; limit?: number };

/** Issues of the profile's tracker; a profile without one refuses, and says so. */
export function useIssues(filter: IssueFilter, enabled: boolean) {
  return useQuery({
    queryKey: keys.issues(filter),
    queryFn: async ({ signal }) => (await get<Page<IssueShown>>('/issues', filter, signal)).items,
    enabled,
    retry: false,
    placeholderData: keepPreviousData,
  });
}
