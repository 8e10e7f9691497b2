// Profiles, prompts, the server's configuration, and its health.

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { isSame, type JsonObject } from '@/model/settings/document-edit';
import { profileDocument } from '@/model/settings/profile-document';
import type { Checkup } from '@/wire/Checkup';
import type { Health } from '@/wire/Health';
import type { Page } from '@/wire/Page';
import type { ProfileShown } from '@/wire/ProfileShown';
import type { PromptShown } from '@/wire/PromptShown';
import type { PromptVersion } from '@/wire/PromptVersion';
import type { ServerValue } from '@/wire/ServerValue';
import type { SettingsShown } from '@/wire/SettingsShown';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { ApiError, get, getTagged, post, put, remove } from './http';
import { keys } from './keys';

/** A profile as it is sent: every field that came is sent back, also those that no screen knows. */
export type ProfileInput = Record<string, JsonValue | undefined> & { name: string };

const named = (kind: string, name: string, more = '') =>
  `/${kind}/${encodeURIComponent(name)}${more}`;

export function useProfiles() {
  return useQuery({
    queryKey: keys.profiles,
    queryFn: async ({ signal }) =>
      (await get<Page<ProfileShown>>('/profiles', { limit: 500 }, signal)).items,
  });
}

export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'CONFLICT';

/** Where a refusal is shown beside what was refused, no notice covers the page. */
const HANDLED_BY_PAGE = { isHandledByPage: true };

function useChange<Input, T>(
  key: readonly unknown[],
  send: (input: Input) => Promise<T>,
  meta: { isHandledByPage?: boolean } = {},
) {
  const client = useQueryClient();
  const reread = () => client.invalidateQueries({ queryKey: key });
  return useMutation({
    mutationFn: send,
    meta,
    onSuccess: reread,
    // What others have saved is shown.
    onError: (error) => (isConflict(error) ? reread() : undefined),
  });
}

/** Replaces what was read as `base`: never what others have saved since, not even in this moment. */
async function replaceRead<T>(
  path: string,
  what: string,
  isBase: (now: T) => boolean,
  body: unknown,
): Promise<T> {
  const { value, tag } = await getTagged<T>(path);
  if (!isBase(value)) throw new ApiError(409, 'CONFLICT', `${what} was changed by someone else`);
  return put<T>(path, body, tag);
}

export const useCreateProfile = () =>
  useChange(keys.profiles, (profile: ProfileInput) => post<ProfileShown>('/profiles', profile));

export const useReplaceProfile = (isHandledByPage = false) =>
  useChange(
    keys.profiles,
    ({ base, profile }: { base: JsonObject; profile: ProfileInput }) =>
      replaceRead<ProfileShown>(
        named('profiles', profile.name),
        `profile ${profile.name}`,
        (now) => isSame(profileDocument(now), base),
        profile,
      ),
    isHandledByPage ? HANDLED_BY_PAGE : {},
  );

export const useDeleteProfile = () =>
  useChange(keys.profiles, (name: string) => remove(named('profiles', name)));

export const useActivateProfile = () =>
  useChange(keys.profiles, (name: string) =>
    post<ProfileShown>(named('profiles', name, '/activate')),
  );

export function usePrompts() {
  return useQuery({
    queryKey: keys.prompts,
    queryFn: async ({ signal }) =>
      (await get<Page<PromptShown>>('/prompts', { limit: 500 }, signal)).items,
  });
}

/** Every version of the user's own, oldest first. */
export function usePromptVersions(name: string) {
  return useQuery({
    queryKey: keys.prompt(name),
    queryFn: async ({ signal }) =>
      (await get<Page<PromptVersion>>(named('prompts', name, '/versions'), { limit: 500 }, signal))
        .items,
  });
}

export const useReplacePrompt = () =>
  useChange(keys.prompts, ({ name, base, text }: { name: string; base: string; text: string }) =>
    replaceRead<PromptShown>(named('prompts', name), `prompt ${name}`, (now) => now.text === base, {
      text,
    }),
  );

export const useResetPrompt = () =>
  useChange(keys.prompts, (name: string) => remove<PromptShown>(named('prompts', name)));

export function useSettings() {
  return useQuery({
    queryKey: keys.settings,
    queryFn: ({ signal }) => get<SettingsShown>('/settings', {}, signal),
  });
}

/** Every value of the server's configuration, and where it came from. */
export function useServerValues() {
  return useQuery({
    queryKey: keys.server,
    queryFn: async ({ signal }) =>
      (await get<Page<ServerValue>>('/settings/server', { limit: 500 }, signal)).items,
  });
}

/** Written to the server's file; the next start reads it. `null` takes a value out. */
export const useChangeServer = () =>
  useChange(keys.server, (values: Record<string, JsonValue>) =>
    put<Page<ServerValue>>('/settings/server', { values }),
  );

export const useRotateToken = () =>
  useMutation({ mutationFn: () => post<void>('/session/rotate') });

/** The checks of a repository; without one, of that of the active profile. */
export function useDoctor(repository: string, enabled: boolean) {
  return useQuery({
    queryKey: keys.doctor(repository),
    queryFn: async ({ signal }) => {
      const query = repository === '' ? {} : { worktree_path: repository };
      return (await get<Checkup>('/doctor', query, signal)).checks;
    },
    enabled,
    placeholderData: keepPreviousData,
  });
}

export function useHealth() {
  return useQuery({
    queryKey: keys.health,
    queryFn: ({ signal }) => get<Health>('/health', {}, signal),
  });
}
