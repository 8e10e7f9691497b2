import { ArrowLeft, UserX } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useParams } from 'react-router';
import { useProfiles } from '@/api/settings';
import { QueryError } from '@/features/settings/parts/query-error';
import { SettingsSkeleton } from '@/features/settings/parts/settings-skeleton';
import { ProfileEditor } from '@/features/settings/profiles/profile-editor';
import { profileDocument } from '@/model/profile-document';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function ProfilePage() {
  const { name = '' } = useParams();
  const { data, error, isPending, refetch, isFetching } = useProfiles();
  const shown = data?.find((profile) => profile.name === name);
  const saved = useMemo(() => shown && profileDocument(shown), [shown]);
  if (saved && shown)
    return <ProfileEditor key={name} name={name} saved={saved} isActive={shown.is_active} />;
  return (
    <>
      <PageHeader title={name} />
      {isPending && <SettingsSkeleton />}
      {error && (
        <QueryError
          title="The profile could not be read"
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {data && (
        <EmptyState
          size="page"
          icon={<UserX />}
          title="There is no such profile"
          action={
            <Button asChild>
              <Link to="/settings/profiles">
                <ArrowLeft />
                All profiles
              </Link>
            </Button>
          }
        >
          Nobody is called “{name}” here. It may have been deleted.
        </EmptyState>
      )}
    </>
  );
}
