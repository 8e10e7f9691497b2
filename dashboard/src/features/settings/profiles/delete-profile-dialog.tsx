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
          ? 'It is the active one: until you choose another, new runs have to name their profile. Runs that have begun go on with what they began with. This cannot be taken back.'
          : 'New runs can no longer use it. Runs that have begun go on with what they began with. This cannot be taken back.'
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
