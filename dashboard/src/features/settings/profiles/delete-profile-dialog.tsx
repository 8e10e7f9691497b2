import { useDeleteProfile } from '@/api/settings';
import { toast } from '@/lib/toast';
import { ConfirmDialog } from '@/ui/confirm-dialog';

type DeleteProfileDialogProps = {
  name: string;
  isActive: boolean;
  onClose: () => void;
  onDeleted: () => void;
};

export function DeleteProfileDialog(props: DeleteProfileDialogProps) {
  const { name, isActive, onClose, onDeleted } = props;
  const remove = useDeleteProfile();
  const confirm = () =>
    remove.mutate(name, {
      onSuccess: () => {
        toast({ title: `Deleted profile ${name}`, tone: 'success' });
        onClose();
        onDeleted();
      },
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Delete profile ${name}?`}
      description={
        isActive
          ? 'This is the active profile. Until you choose another one, new runs must name their profile. Runs that have started keep their settings. This cannot be undone.'
          : 'New runs can no longer use this profile. Runs that have started keep their settings. This cannot be undone.'
      }
      confirmLabel="Delete"
      danger
      busy={remove.isPending}
      onConfirm={confirm}
    >
      {remove.error && (
        <p role="alert" className="text-sm text-failed">
          {remove.error.message}
        </p>
      )}
    </ConfirmDialog>
  );
}
