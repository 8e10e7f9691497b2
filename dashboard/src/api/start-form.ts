// What the start page needs from the server: repositories and issues.

import { keepPreviousData, useQuery } from '@tanstack/react-query';
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
