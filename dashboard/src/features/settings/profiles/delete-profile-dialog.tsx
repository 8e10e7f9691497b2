import { useDeleteProfile } from '@/api/settings';
import { useProfileUndo } from '@/features/settings/profiles/use-profile-undo';
import { CodedText } from '@/ui/coded-text';
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
  const undo = useProfileUndo();
  const confirm = () =>
    remove.mutate(name, {
      onSuccess: () => {
        undo.deleted(name);
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
          ? 'This is the active profile. Until you choose another one, new runs must name their profile. Runs that have started keep their settings.'
          : 'New runs can no longer use this profile. Runs that have started keep their settings.'
      }
      confirmLabel="Delete"
      danger
      busy={remove.isPending}
      onConfirm={confirm}
    >
      {remove.error && (
        <p role="alert" className="text-sm text-failed">
          <CodedText>{remove.error.message}</CodedText>
        </p>
      )}
    </ConfirmDialog>
  );
}
