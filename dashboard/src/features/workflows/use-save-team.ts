import { useReplaceTeam } from '@/api/teams';
import { toast } from '@/lib/toast';
import type { DefinitionDetail } from '@/model/workflows/definition';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

/** Saves a team that is on the server; a text is sent as the team that was read from it. */
export function useSaveTeam({ name, text: base }: DefinitionDetail, onSaved: () => void) {
  const replace = useReplaceTeam();
  const run = (team: JsonValue | null) =>
    void (
      team !== null &&
      replace.mutate(
        { name, base, team },
        {
          onSuccess: () => {
            onSaved();
            toast({ title: 'Saved', tone: 'success' });
          },
        },
      )
    );
  return { run, isSaving: replace.isPending, error: replace.error?.message ?? null };
}
