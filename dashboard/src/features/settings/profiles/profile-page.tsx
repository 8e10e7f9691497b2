import { UserX } from 'lucide-react';
import { useMemo } from 'react';
import { useParams } from 'react-router';
import { useProfiles } from '@/api/settings';
import { ItemPage } from '@/features/settings/parts/item-page';
import { ProfileEditor } from '@/features/settings/profiles/profile-editor';
import { profileDocument } from '@/model/settings/profile-document';

export default function ProfilePage() {
  const { name = '' } = useParams();
  const query = useProfiles();
  const shown = query.data?.find((profile) => profile.name === name);
  const saved = useMemo(() => shown && profileDocument(shown), [shown]);
  if (saved && shown)
    return <ProfileEditor key={name} name={name} saved={saved} isActive={shown.is_active} />;
  return (
    <ItemPage name={name} kind="profile" query={query} icon={<UserX />}>
      There is no profile “{name}”. It may have been deleted.
    </ItemPage>
  );
}
