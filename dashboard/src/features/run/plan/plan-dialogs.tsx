import { ConfirmDialog } from '@/ui/confirm-dialog';
import { MessagePreview } from '../comments/message-preview';
import type { ReviewKey } from '../comments/store';
import { RequestChanges } from './request-changes';
import type { PlanActions } from './use-plan-actions';

export type PlanDialog = 'changes' | 'approve' | 'cancel';

type PlanDialogsProps = {
  id: string;
  review: ReviewKey;
  /** The comments and the note as one message. */
  words: string;
  open: PlanDialog | null;
  onClose: () => void;
  onApprove: () => void;
  actions: PlanActions;
};

/** What is asked before a decision about a plan is sent. */
export function PlanDialogs(props: PlanDialogsProps) {
  const { id, review, words, open, onClose, onApprove, actions } = props;
  return (
    <>
      {open === 'changes' && (
        <RequestChanges id={id} review={review} actions={actions} onClose={onClose} />
      )}
      <ConfirmDialog
        open={open === 'approve'}
        onOpenChange={onClose}
        title="Approve, with your comments?"
        description="You have written comments. They go along as words for the crew; the plan itself stays as it is."
        confirmLabel="Approve and send them"
        cancelLabel="Go back"
        onConfirm={() => {
          onClose();
          onApprove();
        }}
      >
        <MessagePreview text={words} />
      </ConfirmDialog>
      <ConfirmDialog
        open={open === 'cancel'}
        onOpenChange={onClose}
        danger
        busy={actions.isBusy}
        title="Cancel this run?"
        description="It ends here and cannot go on. Its log, its plan and your comments are kept."
        confirmLabel="Cancel run"
        cancelLabel="Keep it"
        onConfirm={() => actions.cancel(onClose)}
      />
    </>
  );
}
