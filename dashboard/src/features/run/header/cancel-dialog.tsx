import { useCancel } from '@/api/actions';
import { toast } from '@/lib/toast';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import type { RunDetail } from '@/wire/RunDetail';

type CancelDialogProps = {
  detail: RunDetail;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

export function CancelDialog({ detail, open, onOpenChange }: CancelDialogProps) {
  const cancel = useCancel();
  const confirm = () =>
    cancel.mutate(
      { run: detail.id },
      {
        onSuccess: () => void toast({ title: 'Cancelled' }),
        onSettled: () => onOpenChange(false),
      },
    );
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Cancel this run?"
      description={`The agents stop, and the run cannot be resumed. ${kept(detail)} You can still fork it from any checkpoint.`}
      confirmLabel="Cancel run"
      cancelLabel="Keep running"
      danger
      busy={cancel.isPending}
      onConfirm={confirm}
    />
  );
}

function kept({ branch, worktree }: RunDetail): string {
  if (branch && worktree)
    return `The log, the branch ${branch} with its commits, and the worktree are kept.`;
  return 'The log, the plan and the commits are kept.';
}
