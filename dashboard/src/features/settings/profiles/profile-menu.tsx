import { CircleCheck, Copy, EllipsisVertical, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useActivateProfile } from '@/api/settings';
import { DeleteProfileDialog } from '@/features/settings/profiles/delete-profile-dialog';
import { NewProfileDialog } from '@/features/settings/profiles/new-profile-dialog';
import { useProfileUndo } from '@/features/settings/profiles/use-profile-undo';
import { DropdownMenu } from '@/ui/dropdown-menu';
import { IconButton } from '@/ui/icon-button';

type ProfileMenuProps = { name: string; isActive: boolean };

/** What can be done with a profile as a whole. */
export function ProfileMenu({ name, isActive }: ProfileMenuProps) {
  const [dialog, setDialog] = useState<'copy' | 'delete' | null>(null);
  const activate = useActivateProfile();
  const undo = useProfileUndo();
  const navigate = useNavigate();
  const close = () => setDialog(null);
  return (
    <>
      <DropdownMenu
        trigger={
          <IconButton
            aria-label={`More actions for profile ${name}`}
            tooltip={false}
            icon={<EllipsisVertical />}
          />
        }
        items={[
          {
            label: isActive ? 'Active profile' : 'Make active',
            icon: <CircleCheck />,
            disabled: isActive,
            onSelect: () =>
              activate.mutate(name, {
                onSuccess: () => undo.activated(name),
              }),
          },
          { label: 'Duplicate', icon: <Copy />, onSelect: () => setDialog('copy') },
          'separator',
          {
            label: 'Delete',
            icon: <Trash2 />,
            danger: true,
            onSelect: () => setDialog('delete'),
          },
        ]}
      />
      {dialog === 'copy' && <NewProfileDialog from={name} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteProfileDialog
          name={name}
          isActive={isActive}
          onClose={close}
          onDeleted={() => navigate('/settings/profiles')}
        />
      )}
    </>
  );
}
