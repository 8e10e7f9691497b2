import { Eraser } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useProfiles, useSettings } from '@/api/settings';
import { toast } from '@/lib/toast';
import { useShortcut } from '@/lib/use-shortcut';
import { type Draft, emptyDraft, keptForNext, type StartMode } from '@/model/start/draft';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { PageHeader } from '@/ui/page-header';
import type { ProfileShown } from '@/wire/ProfileShown';
import { BudgetCard } from './budget-card';
import { commandOf } from './command-of';
import { CommandPreview } from './command-preview';
import { DemoNotice } from './demo-notice';
import { DocumentsCard } from './documents-card';
import { errorIn, type Form } from './form';
import { OptionsCard } from './options-card';
import { ProblemSummary } from './problem-summary';
import { ProfileField } from './profile-field';
import { RepositoryField } from './repository-field';
import { RunSettings } from './run-settings';
import { StartButtons } from './start-buttons';
import { useAttachedFiles } from './use-attached-files';
import { useDraft } from './use-draft';
import { useFirstField } from './use-first-field';
import { useGuesses } from './use-guesses';
import { useStartRun } from './use-start-run';
import { WhatCard } from './what-card';

export default function StartPage() {
  const navigate = useNavigate();
  const { draft: typed, change: write, replace } = useDraft();
  const profiles = useProfiles();
  const settings = useSettings();
  const { draft, profile, usual } = useGuesses(typed, profiles.data);
  // A fresh set of fields forgets which tab of the description was open, and the like.
  const [edition, setEdition] = useState(0);

  const attached = useAttachedFiles(() => starting.clearProblemsOf(['attachments']));
  const leave = (run: string, when: StartMode) => {
    replace(keptForNext(draft));
    attached.clear();
    setEdition((count) => count + 1);
    if (when !== 'later') return void navigate(`/runs/${run}`);
    const action = { label: 'Open', run: () => void navigate(`/runs/${run}`) };
    toast({ title: 'Run queued. Start it when you are ready.', tone: 'success', action });
  };
  const starting = useStartRun(draft, attached.files, leave);
  const change = (patch: Partial<Draft>) => {
    starting.clearProblemsOf(Object.keys(patch));
    write(patch);
  };
  const form: Form = { draft, change, errorOf: (field) => errorIn(starting.problems, field) };
  useFirstField(edition, !profiles.isPending);
  const blocked = whyBlocked(profiles.data, profile);
  const start = () => void starting.start('now');
  useShortcut(
    { keys: 'mod+enter', label: 'Start run', group: 'Start', inInputs: true, when: !blocked },
    start,
  );

  const known = [...new Set(profiles.data?.map((one) => one.repo_root) ?? [])];
  const clear = () => {
    starting.clear();
    attached.clear();
    replace({ ...emptyDraft, repository: typed.repository, profile: typed.profile });
    setEdition((count) => count + 1);
  };
  return (
    <div className="mx-auto grid max-w-270 gap-4 p-4 md:p-5 lg:grid-cols-[minmax(0,1fr)_19rem] lg:gap-6">
      <PageHeader
        title="Start"
        actions={
          <Button variant="ghost" icon={<Eraser />} onClick={clear}>
            Clear
          </Button>
        }
      />
      <div key={edition} className="flex min-w-0 flex-col gap-4">
        <DemoNotice />
        <ProblemSummary problems={starting.problems} refusals={starting.refusals} />
        <WhatCard {...form} profile={profile} attached={attached} />
        <Card title="Repository and profile">
          <div className="flex flex-col gap-4">
            <RepositoryField {...form} known={known.filter((path) => path.startsWith('/'))} />
            <ProfileField
              {...form}
              profiles={profiles.data}
              chosen={profile}
              error={profiles.error}
            />
          </div>
        </Card>
        <RunSettings>
          {draft.kind === 'implementation' && (
            <>
              <DocumentsCard {...form} />
              <OptionsCard {...form} />
            </>
          )}
          <BudgetCard
            {...form}
            usual={profile?.budgets.per_run}
            ceiling={settings.data?.server.budgets.per_run}
          />
        </RunSettings>
      </div>
      <div className="flex min-w-0 flex-col gap-4 max-lg:contents lg:sticky lg:top-5 lg:self-start">
        <div className="z-10 max-lg:sticky max-lg:bottom-0 max-lg:order-last max-lg:-mx-4 max-lg:-mb-4 max-lg:border-t max-lg:border-line max-lg:bg-canvas max-lg:px-4 max-lg:py-3 md:max-lg:-mx-5 md:max-lg:-mb-5">
          <StartButtons
            isReview={draft.kind === 'review'}
            sending={starting.sending}
            blocked={blocked}
            onStart={(when) => void starting.start(when)}
          />
        </div>
        <CommandPreview command={commandOf(draft, attached.files, usual)} />
      </div>
    </div>
  );
}

/** Why no run can start yet; `null` if one can. */
function whyBlocked(profiles: readonly ProfileShown[] | undefined, chosen?: ProfileShown) {
  if (profiles?.length === 0) return 'A run needs a profile. Create one first.';
  return profiles && !chosen ? 'No profile matches this repository. Choose one.' : null;
}
