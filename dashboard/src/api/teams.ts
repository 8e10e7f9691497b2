// Teams that are saved on the server, not in files.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import type { TeamDetail } from '@/wire/TeamDetail';
import { ApiError, getTagged, post, put, remove } from './http';
import { keys } from './keys';

const of = (name: string) => `/teams/${encodeURIComponent(name)}`;

function useTeamChange<Input, T>(send: (input: Input) => Promise<T>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    // The page shows the reason beside what was refused.
    meta: { isHandledByPage: true },
    onSettled: () => client.invalidateQueries({ queryKey: keys.everyDefinition }),
  });
}

export const useCreateTeam = () =>
  useTeamChange((team: JsonValue) => post<TeamDetail>('/teams', team));

export type TeamEdit = {
  name: string;
  /** The text that was read. */
  base: string;
  team: JsonValue;
};

/** Replaces the team that was read as `base`, never what others have saved since. */
export const useReplaceTeam = () =>
  useTeamChange(async ({ name, base, team }: TeamEdit) => {
    const { value, tag } = await getTagged<TeamDetail>(of(name));
    if (value.text !== base)
      throw new ApiError(409, 'CONFLICT', `team ${name} was changed by someone else`);
    return put<TeamDetail>(of(name), team, tag);
  });

export const useDeleteTeam = () => useTeamChange((name: string) => remove(of(name)));
