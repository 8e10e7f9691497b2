import { Plus, Users } from 'lucide-react';
import { useState } from 'react';
import { useProfiles } from '@/api/settings';
import { QueryError } from '@/features/settings/parts/query-error';
import { SettingsSection } from '@/features/settings/parts/settings-section';
import { SettingsSkeleton } from '@/features/settings/parts/settings-skeleton';
import { NewProfileDialog } from '@/features/settings/profiles/new-profile-dialog';
import { ProfileCard } from '@/features/settings/profiles/profile-card';
import { useCommands } from '@/lib/commands';
import { cli } from '@/model/cli/cli';
import { settingsCli } from '@/model/cli/cli-settings';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function ProfilesPage() {
  const { data, error, isPending, refetch, isFetching } = useProfiles();
  const [creating, setCreating] = useState(false);
  const create = () => setCreating(true);
  useCommands([{ id: 'new-profile', label: 'New profile', group: 'Settings', run: create }]);
  const button = (
    <Button variant="primary" icon={<Plus />} onClick={create}>
      New profile
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Profiles"
        actions={
          <>
            <CliCommand command={settingsCli.profiles()} />
            {button}
          </>
        }
      />
      {isPending && <SettingsSkeleton />}
      {error && (
        <QueryError
          title="Could not load profiles"
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {data?.length === 0 && (
        <EmptyState size="page" icon={<Users />} title="No profiles yet" action={button}>
          A profile sets the agents, their models and their limits. One is enough to start;{' '}
          <code>{cli.init()}</code> also creates one.
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <SettingsSection intro="A profile sets the agents, their models and their limits. A run uses the profile whose repository contains its directory; if several do, the active one, or else the one with the longest path.">
          {data.map((profile) => (
            <ProfileCard key={profile.name} profile={profile} />
          ))}
        </SettingsSection>
      )}
      {creating && <NewProfileDialog onClose={() => setCreating(false)} />}
    </>
  );
}
