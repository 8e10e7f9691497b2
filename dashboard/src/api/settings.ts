// Profiles, prompts, the server's configuration, and its health.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Checkup } from '@/wire/Checkup';
import type { Health } from '@/wire/Health';
import type { Page } from '@/wire/Page';
import type { ProfileShown } from '@/wire/ProfileShown';
import type { PromptShown } from '@/wire/PromptShown';
import type { PromptVersion } from '@/wire/PromptVersion';
import type { ServerValue } from '@/wire/ServerValue';
import type { SettingsShown } from '@/wire/SettingsShown';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { get, post, put, remove } from './http';
import { keys } from './keys';

/** A profile as it is sent: every field that came is sent back, also those that no screen knows. */
export type ProfileSent = Record<string, JsonValue | undefined> & { name: string };

const named = (kind: string, name: string, more = '') =>
  `/${kind}/${encodeURIComponent(name)}${more}`;

export function useProfiles() {
  return useQuery({
    queryKey: keys.profiles,
    queryFn: async ({ signal }) =>
      (await get<Page<ProfileShown>>('/profiles', { limit: 500 }, signal)).items,
  });
}

function useChange<Order, T>(key: readonly unknown[], send: (order: Order) => Promise<T>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  });
}

export const useCreateProfile = () =>
  useChange(keys.profiles, (profile: ProfileSent) => post<ProfileShown>('/profiles', profile));

export const useReplaceProfile = () =>
  useChange(keys.profiles, (profile: ProfileSent) =>
    put<ProfileShown>(named('profiles', profile.name), profile),
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

/** Every version that somebody has written, oldest first. */
export function usePromptVersions(name: string) {
  return useQuery({
    queryKey: keys.prompt(name),
    queryFn: async ({ signal }) =>
      (await get<Page<PromptVersion>>(named('prompts', name, '/versions'), { limit: 500 }, signal))
        .items,
  });
}

export const useReplacePrompt = () =>
  useChange(keys.prompts, ({ name, text }: { name: string; text: string }) =>
    put<PromptShown>(named('prompts', name), { text }),
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

export function useDoctor() {
  return useQuery({
    queryKey: keys.doctor,
    queryFn: async ({ signal }) => (await get<Checkup>('/doctor', {}, signal)).checks,
  });
}

export function useHealth() {
  return useQuery({
    queryKey: keys.health,
    queryFn: ({ signal }) => get<Health>('/health', {}, signal),
  });
}
