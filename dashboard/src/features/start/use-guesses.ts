import { useRepositories } from '@/api/start-form';
import type { Draft } from '@/model/start/draft';
import { usualProfile } from '@/model/start/usual-profile';
import type { ProfileShown } from '@/wire/ProfileShown';

/** The draft with defaults for what is not chosen yet: the last repository, and the profile that fits it. */
export function useGuesses(typed: Draft, profiles: readonly ProfileShown[] | undefined) {
  const recents = useRepositories();
  const last = typed.repository ?? recents.data?.[0]?.path ?? null;
  const usual = usualProfile(profiles ?? [], last);
  const profile = profiles?.find((one) => one.name === typed.profile) ?? usual;
  // While the recents are read nothing is guessed, so that the field does not change while it is used.
  const root = profile?.repo_root.startsWith('/') ? profile.repo_root : null;
  const repository = recents.isPending ? typed.repository : (last ?? root);
  const hasTracker = profile !== undefined && profile.tracker !== 'noop';
  const draft: Draft = {
    ...typed,
    repository,
    profile: profile?.name ?? typed.profile,
    source: hasTracker ? typed.source : 'text',
  };
  return { draft, profile, usual: usual?.name };
}
