import { Check, CircleX, MessageSquareReply } from 'lucide-react';
import { useState } from 'react';
import { plural } from '@/lib/format';
import { useShortcut } from '@/lib/use-shortcut';
import { cli } from '@/model/cli/cli';
import { planFeedback } from '@/model/comments/comments';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { MessagePreview } from '../comments/message-preview';
import { type ReviewKey, unsent, useReview } from '../comments/store';
import { RequestChanges } from './request-changes';
import type { PlanActions } from './use-plan-actions';
import type { PlanEdit } from './use-plan-edit';

type PlanBarProps = {
  id: string;
  review: ReviewKey;
  /** The plan as the person changed it. */
  edit: PlanEdit;
  actions: PlanActions;
};

type Open = 'changes' | 'approve' | 'cancel' | null;

/** The decision, always in reach: approve, request changes, cancel. */
export function PlanBar({ id, review, edit, actions }: PlanBarProps) {
  const { edited, isOutdated } = edit;
  const [open, setOpen] = useState<Open>(null);
  const kept = useReview(review);
  const comments = unsent(kept);
  const words = planFeedback(comments, kept.note);
  const close = () => setOpen(null);
  // What was written must not be lost by a yes: it is shown first, and goes along.
  const approve = () => {
    if (isOutdated) return;
    if (words === '') actions.approve(edited, '');
    else setOpen('approve');
  };
  useShortcut({ keys: 'a', label: 'Approve the plan', group: 'Plan' }, approve);
  useShortcut({ keys: 'r', label: 'Request changes', group: 'Plan' }, () => setOpen('changes'));

  return (
    <div className="sticky bottom-0 z-20 border-t border-line bg-raised px-3 py-2.5 shadow-high md:px-5">
      {actions.refusal && (
        <p role="alert" className="mb-2 text-sm text-failed">
          {actions.refusal.error}
          {actions.refusal.hint && <span className="text-fg"> {actions.refusal.hint}</span>}
        </p>
      )}
      {isOutdated && (
        <div role="alert" className="mb-2 flex flex-wrap items-center gap-2 text-sm">
          <p className="min-w-0 flex-1 basis-72 text-needs-you">
            The Architect has written another plan while you edited the one before.
          </p>
          <Button size="sm" onClick={edit.reset}>
            Take the new one
          </Button>
          <Button size="sm" onClick={edit.keepMine}>
            Keep mine in its place
          </Button>
        </div>
      )}
      <div className="flex items-center gap-2">
        <p aria-live="polite" className="min-w-0 flex-1 truncate text-sm text-muted max-md:hidden">
          {standing(comments.length, edited !== null)}
        </p>
        <Button
          variant="danger-quiet"
          icon={<CircleX />}
          disabled={actions.isBusy}
          onClick={() => setOpen('cancel')}
        >
          <span className="max-md:sr-only">Cancel run</span>
        </Button>
        <span className="max-md:hidden">
          <CliCommand command={cli.approve(id, words)} />
        </span>
        <Button
          icon={<MessageSquareReply />}
          shortcut="r"
          disabled={actions.isBusy}
          className="max-md:flex-1"
          onClick={() => setOpen('changes')}
        >
          Request changes{comments.length > 0 ? ` (${comments.length})` : ''}
        </Button>
        <Button
          variant="primary"
          icon={<Check />}
          shortcut="a"
          loading={actions.isBusy}
          disabled={isOutdated}
          className="max-md:flex-1"
          onClick={approve}
        >
          {edited === null ? 'Approve' : 'Approve edited'}
        </Button>
      </div>
      {open === 'changes' && (
        <RequestChanges id={id} review={review} actions={actions} onClose={close} />
      )}
      <ConfirmDialog
        open={open === 'approve'}
        onOpenChange={close}
        title="Approve, with your comments?"
        description="You have written comments. They go along as words for the crew; the plan itself stays as it is."
        confirmLabel="Approve and send them"
        cancelLabel="Go back"
        onConfirm={() => {
          close();
          actions.approve(edited, words);
        }}
      >
        <MessagePreview text={words} />
      </ConfirmDialog>
      <ConfirmDialog
        open={open === 'cancel'}
        onOpenChange={close}
        danger
        busy={actions.isBusy}
        title="Cancel this run?"
        description="It ends here and cannot go on. Its log, its plan and your comments are kept."
        confirmLabel="Cancel run"
        cancelLabel="Keep it"
        onConfirm={() => actions.cancel(close)}
      />
    </div>
  );
}

function standing(comments: number, isEdited: boolean): string {
  if (comments > 0) return `${plural(comments, 'comment')}, not sent yet`;
  return isEdited ? 'You have changed the plan' : 'The run waits for your decision';
}
