import { plural } from '@/lib/format';
import { cli } from '@/model/cli/cli';
import { planFeedback } from '@/model/comments/comments';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { CodedText } from '@/ui/coded-text';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Textarea } from '@/ui/textarea';
import { MessagePreview } from '../comments/message-preview';
import { type ReviewKey, unsent, useReview, writeNote } from '../comments/store';
import type { PlanActions } from './use-plan-actions';

type RequestChangesProps = {
  shortId: string;
  review: ReviewKey;
  actions: PlanActions;
  onClose: () => void;
};

/** All comments and a general word, as the one feedback that the Architect gets. */
export function RequestChanges({ shortId, review, actions, onClose }: RequestChangesProps) {
  const kept = useReview(review);
  const comments = unsent(kept);
  const feedback = planFeedback(comments, kept.note);
  const send = () => {
    if (feedback !== '') actions.reject(feedback, onClose);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title="Request changes"
      description={
        comments.length > 0
          ? `${plural(comments.length, 'comment')} and your message are sent to the Architect together.`
          : 'The Architect writes a new plan from your feedback.'
      }
      footer={
        <>
          <CliCommand command={cli.reject(shortId, feedback)} />
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            loading={actions.isBusy}
            disabled={feedback === ''}
            onClick={send}
          >
            Request changes
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="What should change?" optional={comments.length > 0}>
          {(control) => (
            <Textarea
              {...control}
              autoFocus
              minRows={3}
              value={kept.note}
              onChange={(event) => writeNote(review, event.target.value)}
              onSubmit={send}
            />
          )}
        </Field>
        {comments.length > 0 && <MessagePreview text={feedback} />}
        {actions.refusal && (
          <p role="alert" className="text-sm text-failed">
            <CodedText>{actions.refusal.error}</CodedText>
          </p>
        )}
      </div>
    </Dialog>
  );
}
