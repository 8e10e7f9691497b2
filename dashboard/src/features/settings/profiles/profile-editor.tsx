import { Braces, TextCursorInput } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { SaveBar } from '@/features/settings/parts/save-bar';
import { UnsavedGuard } from '@/features/settings/parts/unsaved-guard';
import { OutdatedNotice } from '@/features/settings/profiles/outdated-notice';
import { ProblemList } from '@/features/settings/profiles/problem-list';
import { ProfileForm } from '@/features/settings/profiles/profile-form';
import { ProfileHeader } from '@/features/settings/profiles/profile-header';
import { ProfileJson } from '@/features/settings/profiles/profile-json';
import { ReviewDialog } from '@/features/settings/profiles/review-dialog';
import { useProfileDraft } from '@/features/settings/profiles/use-profile-draft';
import { toast } from '@/lib/toast';
import { useShortcut } from '@/lib/use-shortcut';
import type { JsonObject } from '@/model/settings/document-edit';
import { SegmentedControl } from '@/ui/segmented-control';

type ProfileEditorProps = { name: string; saved: JsonObject; isActive: boolean };

export function ProfileEditor({ name, saved, isActive }: ProfileEditorProps) {
  const draft = useProfileDraft(name, saved);
  const [search, setSearch] = useSearchParams();
  const [reviewing, setReviewing] = useState(false);
  const [broken, setBroken] = useState(false);
  /** Counts up to begin the JSON view anew. */
  const [started, setStarted] = useState(0);
  const view = search.get('view') === 'json' ? 'json' : 'form';
  const hasChanges = draft.changes.length > 0 || broken;
  const faults = draft.faults.length + (broken ? 1 : 0);
  useShortcut(
    { keys: 'mod+s', label: 'Save profile', group: 'Profile', inInputs: true },
    () => hasChanges && faults === 0 && setReviewing(true),
  );

  const show = (next: 'form' | 'json') => {
    if (!broken) setSearch(next === 'json' ? { view: 'json' } : {});
    else toast({ title: 'Fix or discard the JSON first', tone: 'warning' });
  };
  const save = async () => {
    const done = await draft.save();
    setReviewing(false);
    if (done) toast({ title: `Saved profile ${name}`, tone: 'success' });
  };

  const views = (
    <SegmentedControl
      label="View"
      value={view}
      onChange={show}
      segments={[
        { value: 'form', label: 'Form', icon: <TextCursorInput /> },
        { value: 'json', label: 'JSON', icon: <Braces /> },
      ]}
    />
  );
  return (
    <>
      <ProfileHeader name={name} isActive={isActive} views={views} />
      <UnsavedGuard when={hasChanges} what={`profile ${name}`} />
      <div className="flex max-w-275 flex-col gap-4 px-4 pt-5 md:px-6">
        <div className="md:hidden">{views}</div>
        {draft.isOutdated && (
          <OutdatedNotice onTakeTheirs={draft.discard} onKeepMine={draft.rebase} />
        )}
        <ProblemList failure={draft.failure} problems={draft.problems} />
        {view === 'form' ? (
          <ProfileForm draft={draft} />
        ) : (
          <ProfileJson key={started} draft={draft} onBroken={setBroken} />
        )}
        <SaveBar
          changes={draft.changes.length + (broken ? 1 : 0)}
          faults={faults}
          label="Review and save"
          saving={draft.saving}
          onDiscard={() => {
            draft.discard();
            setStarted(started + 1);
          }}
          onSave={() => setReviewing(true)}
        />
      </div>
      <ReviewDialog
        open={reviewing}
        onOpenChange={setReviewing}
        name={name}
        before={draft.base}
        after={draft.draft}
        saving={draft.saving}
        onSave={() => void save()}
      />
    </>
  );
}
