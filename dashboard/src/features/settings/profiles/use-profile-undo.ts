import {
  useActivateProfile,
  useCreateProfile,
  useProfiles,
  useReplaceProfile,
} from '@/api/settings';
import { type ToastOptions, toast } from '@/lib/toast';
import { profileDocument } from '@/model/settings/profile-document';
import type { ProfileShown } from '@/wire/ProfileShown';

/** Notices about changed profiles. Each can be undone as long as the server has what it needs for that. */
export function useProfileUndo() {
  const { data: profiles = [] } = useProfiles();
  const create = useCreateProfile();
  const replace = useReplaceProfile();
  const activate = useActivateProfile();
  const tell = (title: string, undo?: () => void) => {
    const notice: ToastOptions = { title, tone: 'success' };
    toast(undo ? { ...notice, action: { label: 'Undo', run: undo } } : notice);
  };
  const documentOf = (profile: ProfileShown) => ({
    ...profileDocument(profile),
    name: profile.name,
  });
  const active = profiles.find((one) => one.is_active)?.name;
  return {
    deleted: (name: string) => {
      const gone = profiles.find((one) => one.name === name);
      const restore = async (profile: ProfileShown) => {
        await create.mutateAsync(documentOf(profile));
        if (profile.is_active) await activate.mutateAsync(name);
      };
      // A refusal is shown by the mutation itself.
      tell(`Deleted profile ${name}`, gone && (() => void restore(gone).catch(() => {})));
    },
    activated: (name: string) =>
      tell(
        `${name} is now active`,
        active === undefined || active === name ? undefined : () => activate.mutate(active),
      ),
    /** From `before` to what the server has now. */
    changed: (title: string, before: ProfileShown, now: ProfileShown) =>
      tell(title, () =>
        replace.mutate({ base: profileDocument(now), profile: documentOf(before) }),
      ),
  };
}
