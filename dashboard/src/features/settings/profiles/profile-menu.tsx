import { CircleCheck, Copy, EllipsisVertical, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useActivateProfile } from '@/api/settings';
import { DeleteProfileDialog } from '@/features/settings/profiles/delete-profile-dialog';
import { NewProfileDialog } from '@/features/settings/profiles/new-profile-dialog';
import { toast } from '@/lib/toast';
import { DropdownMenu } from '@/ui/dropdown-menu';
import { IconButton } from '@/ui/icon-button';

type ProfileMenuProps = { name: string; isActive: boolean };

/** What can be done with a profile as a whole. */
export function ProfileMenu({ name, isActive }: ProfileMenuProps) {
  const [dialog, setDialog] = useState<'copy' | 'delete' | null>(null);
  const activate = useActivateProfile();
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
                onSuccess: () => toast({ title: `${name} is now active`, tone: 'success' }),
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
