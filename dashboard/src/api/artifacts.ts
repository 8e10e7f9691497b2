// Artifacts of a run: files with versions.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ArtifactDiff } from '@/wire/ArtifactDiff';
import type { ArtifactShown } from '@/wire/ArtifactShown';
import type { ArtifactVersionShown } from '@/wire/ArtifactVersionShown';
import type { Page } from '@/wire/Page';
import { get, getText, pathWith, post } from './http';
import { keys } from './keys';

/** The slashes of a path are those of the address. */
const of = (run: string, path: string, more = '') =>
  `/workflows/${encodeURIComponent(run)}/artifacts/${path.split('/').map(encodeURIComponent).join('/')}${more}`;

/** `count` grows with every version that the log tells of. */
export function useArtifacts(run: string, count: number) {
  return useQuery({
    enabled: count > 0,
    queryKey: keys.of(run, 'artifacts', count),
    queryFn: async ({ signal }) => {
      const path = `/workflows/${encodeURIComponent(run)}/artifacts`;
      return (await get<Page<ArtifactShown>>(path, { limit: 500 }, signal)).items;
    },
    placeholderData: (before) => before,
  });
}

/** Every version, the newest first. */
export function useArtifactVersions(run: string, path: string, count: number) {
  return useQuery({
    queryKey: keys.of(run, 'artifacts', count, path),
    queryFn: async ({ signal }) => {
      const page = await get<Page<ArtifactVersionShown>>(
        of(run, path, '/versions'),
        { limit: 500 },
        signal,
      );
      return page.items.toReversed();
    },
    placeholderData: (before) => before,
  });
}

/** Where a version is downloaded from. */
export const artifactPath = (run: string, path: string, version: string) =>
  pathWith(of(run, path), { version, file: 1 });

/** The text of a version. It never changes. */
export function useArtifactText(run: string, path: string, version: string, enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: ['artifact', run, path, version],
    queryFn: ({ signal }) => getText(of(run, path), { version, file: 1 }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What two versions differ in. It never changes. */
export function useArtifactDiff(run: string, path: string, from: string, to: string) {
  return useQuery({
    queryKey: ['artifact', run, path, from, to],
    queryFn: ({ signal }) => get<ArtifactDiff>(of(run, path, '/diff'), { from, to }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Writes a new version with the content of an earlier one. */
export function useRestoreArtifact() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ run, path, version }: { run: string; path: string; version: string }) =>
      post<unknown>(of(run, path, `/restore/${encodeURIComponent(version)}`)),
    meta: { isHandledByPage: true },
    onSettled: (_answer, _error, { run }) =>
      client.invalidateQueries({ queryKey: keys.of(run, 'artifacts') }),
  });
}
