import { UserRoundPlus } from 'lucide-react';
import { Link } from 'react-router';
import { plural } from '@/lib/format';
import { Button } from '@/ui/button';
import { CodedText } from '@/ui/coded-text';
import { Field } from '@/ui/field';
import { Select } from '@/ui/select';
import { Skeleton } from '@/ui/skeleton';
import type { ProfileShown } from '@/wire/ProfileShown';
import { type Form, idOf } from './form';
import { ProfileFacts } from './profile-facts';

type ProfileFieldProps = Form & {
  profiles: readonly ProfileShown[] | undefined;
  chosen: ProfileShown | undefined;
  error: Error | null;
};

export function ProfileField({ profiles, chosen, error, change, errorOf }: ProfileFieldProps) {
  if (error && !profiles) {
    return (
      <p role="alert" className="text-sm text-failed">
        The profiles could not be read: <CodedText>{error.message}</CodedText>
      </p>
    );
  }
  if (!profiles) {
    return (
      <div aria-busy className="flex flex-col gap-2">
        <span className="sr-only">Loading profiles</span>
        <Skeleton className="h-5 w-14" />
        <Skeleton className="h-8" />
        <Skeleton className="h-20" />
      </div>
    );
  }
  if (profiles.length === 0) return <NoProfile />;
  const options = profiles.map((profile) => ({
    value: profile.name,
    label: profile.name,
    hint: [profile.is_active ? 'active' : null, plural(Object.keys(profile.agents).length, 'agent')]
      .filter(Boolean)
      .join(' · '),
  }));
  return (
    <div className="flex flex-col gap-2">
      <Field label="Profile" id={idOf('profile')} error={errorOf('profile')}>
        {(control) => (
          <Select
            {...control}
            value={chosen?.name}
            onChange={(profile) => change({ profile })}
            options={options}
          />
        )}
      </Field>
      {chosen ? <ProfileFacts profile={chosen} /> : <OtherRepositories />}
    </div>
  );
}

function OtherRepositories() {
  return (
    <p role="note" className="text-sm text-pretty text-needs-you">
      No profile matches this repository. Choose one of another repository, or create one: run{' '}
      <code>amelia init</code> in the repository.
    </p>
  );
}

function NoProfile() {
  return (
    <div
      id={idOf('profile')}
      tabIndex={-1}
      className="flex flex-wrap items-center gap-3 rounded-md border border-dashed border-line-strong p-3 text-sm"
    >
      <p className="min-w-48 flex-1">
        No profiles yet.{' '}
        <span className="text-muted">A profile sets the agents and their models.</span>
      </p>
      <Button asChild variant="primary" size="sm">
        <Link to="/settings/profiles">
          <UserRoundPlus aria-hidden />
          Create profile
        </Link>
      </Button>
    </div>
  );
}
