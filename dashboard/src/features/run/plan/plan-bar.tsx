import { Check, CircleX, MessageSquareReply } from 'lucide-react';
import { useState } from 'react';
import { plural } from '@/lib/format';
import { cli } from '@/model/cli/cli';
import { planFeedback } from '@/model/comments/comments';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { CodedText } from '@/ui/coded-text';
import { type ReviewKey, unsent, useReview } from '../comments/store';
import { OutdatedPlan } from './outdated-plan';
import { type PlanDialog, PlanDialogs } from './plan-dialogs';
import type { PlanActions } from './use-plan-actions';
import type { PlanEdit } from './use-plan-edit';
import { usePlanKeys } from './use-plan-keys';

type PlanBarProps = {
  /** The run in commands: `r12`. */
  shortId: string;
  /** The question that is decided here: another one is asked about another plan. */
  request: string;
  review: ReviewKey;
  /** The plan as the person changed it. */
  edit: PlanEdit;
  isEditing: boolean;
  /** Opens the editor, or closes it. */
  onSwitch: () => void;
  actions: PlanActions;
};

/** The decision, always in reach: approve, request changes, cancel. */
export function PlanBar(props: PlanBarProps) {
  const { shortId, request, review, edit, isEditing, onSwitch, actions } = props;
  const { edited, isOutdated } = edit;
  const [open, setOpen] = useState<PlanDialog | null>(null);
  const kept = useReview(review);
  const comments = unsent(kept);
  const words = planFeedback(comments, kept.note);
  // What was written must not be lost by a yes: it is shown first, and goes along.
  const approve = () => {
    if (isOutdated || actions.isBusy) return;
    if (words === '') actions.approve(edited, '');
    else setOpen('approve');
  };
  const requestChanges = () => setOpen('changes');
  usePlanKeys({
    request,
    isEditing,
    onApprove: approve,
    onRequestChanges: requestChanges,
    onSwitch,
  });
  const keyOf = (keys: string) => (isEditing ? {} : { shortcut: keys });

  return (
    <div className="sticky bottom-0 z-20 border-t border-line bg-raised px-3 py-2.5 shadow-high md:px-5">
      {actions.refusal && (
        <p role="alert" className="mb-2 text-sm text-failed">
          <CodedText>{actions.refusal.error}</CodedText>
          {actions.refusal.hint && (
            <span className="text-fg">
              {' '}
              <CodedText>{actions.refusal.hint}</CodedText>
            </span>
          )}
        </p>
      )}
      {isOutdated && <OutdatedPlan onTakeNew={edit.reset} onKeepMine={edit.keepMine} />}
      <div className="flex items-center gap-2">
        <p aria-live="polite" className="min-w-0 flex-1 truncate text-sm text-muted max-md:hidden">
          {statusText(comments.length, edited !== null)}
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
          <CliCommand command={cli.approve(shortId, words)} />
        </span>
        <Button
          icon={<MessageSquareReply />}
          {...keyOf('r')}
          disabled={actions.isBusy}
          className="max-md:flex-1"
          onClick={requestChanges}
        >
          Request changes{comments.length > 0 ? ` (${comments.length})` : ''}
        </Button>
        <Button
          variant="primary"
          icon={<Check />}
          {...keyOf('a')}
          loading={actions.isBusy}
          disabled={isOutdated}
          className="max-md:flex-1"
          onClick={approve}
        >
          {edited === null ? 'Approve' : 'Approve edited plan'}
        </Button>
      </div>
      <PlanDialogs
        shortId={shortId}
        review={review}
        words={words}
        open={open}
        onClose={() => setOpen(null)}
        onApprove={() => actions.approve(edited, words)}
        actions={actions}
      />
    </div>
  );
}

function statusText(comments: number, isEdited: boolean): string {
  if (comments > 0) return `${plural(comments, 'comment')}, not sent yet`;
  return isEdited ? 'You edited the plan' : 'This run is waiting for your decision';
}
