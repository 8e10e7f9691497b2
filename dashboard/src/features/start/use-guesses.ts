import { useRepositories } from '@/api/start-form';
import type { Draft } from '@/model/start/draft';
import type { ProfileShown } from '@/wire/ProfileShown';

/** The draft with defaults for what is not chosen yet: the active profile, and the last repository. */
export function useGuesses(typed: Draft, profiles: readonly ProfileShown[] | undefined) {
  const recents = useRepositories();
  const profile =
    profiles?.find((one) => one.name === typed.profile) ??
    profiles?.find((one) => one.is_active) ??
    profiles?.[0];
  // While the recents are read nothing is guessed, so that the field does not change while it is used.
  const usual = profile?.repo_root.startsWith('/') ? profile.repo_root : null;
  const repository =
    typed.repository ?? (recents.isPending ? null : (recents.data?.[0]?.path ?? usual));
  const hasTracker = profile !== undefined && profile.tracker !== 'noop';
  const draft: Draft = {
    ...typed,
    repository,
    profile: profile?.name ?? typed.profile,
    source: hasTracker ? typed.source : 'text',
  };
  return { draft, profile };
}
