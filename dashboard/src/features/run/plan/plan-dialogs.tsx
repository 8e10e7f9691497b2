import { ConfirmDialog } from '@/ui/confirm-dialog';
import { MessagePreview } from '../comments/message-preview';
import type { ReviewKey } from '../comments/store';
import { RequestChanges } from './request-changes';
import type { PlanActions } from './use-plan-actions';

export type PlanDialog = 'changes' | 'approve' | 'cancel';

type PlanDialogsProps = {
  shortId: string;
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
  const { shortId, review, words, open, onClose, onApprove, actions } = props;
  return (
    <>
      {open === 'changes' && (
        <RequestChanges shortId={shortId} review={review} actions={actions} onClose={onClose} />
      )}
      <ConfirmDialog
        open={open === 'approve'}
        onOpenChange={onClose}
        title="Approve with your comments?"
        description="Your comments are sent to the agents as a message. The plan itself does not change."
        confirmLabel="Approve and send"
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
        description="The run stops and cannot be resumed. Its log, its plan and your comments are kept."
        confirmLabel="Cancel run"
        cancelLabel="Keep running"
        onConfirm={() => actions.cancel(onClose)}
      />
    </>
  );
}
