import { useState } from 'react';
import { cli } from '@/model/cli/cli';
import { type Comment, diffMessage, followUpTitle } from '@/model/comments/comments';
import { isFinal } from '@/model/run/run-state';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { CodedText } from '@/ui/coded-text';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Textarea } from '@/ui/textarea';
import type { RunDetail } from '@/wire/RunDetail';
import { MessagePreview } from '../comments/message-preview';
import { markSent, type ReviewKey, useReview, writeNote } from '../comments/store';
import { useSendMessage } from './use-send-message';

type SendCommentsProps = {
  run: RunDetail;
  branch: string | null;
  review: ReviewKey;
  comments: Comment[];
  onClose: () => void;
};

/** All comments as one message: to the Developer of a run at work, or as the order of a new run. */
export function SendComments({ run, branch, review, comments, onClose }: SendCommentsProps) {
  const { note } = useReview(review);
  const [title, setTitle] = useState(() => followUpTitle(run.title, comments));
  const over = isFinal(run.status);
  const message = diffMessage(comments, note);
  const onSent = () => {
    markSent(review);
    onClose();
  };
  const { send, startNew, error, isBusy } = useSendMessage({ run, branch, message, onSent });
  const submit = () => (over ? startNew(title) : send());

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={over ? 'Start a follow-up run' : 'Send to the Developer'}
      description={
        over
          ? `This run has ended. A new run addresses your comments${branch ? `, starting from branch ${branch}` : ''}.`
          : 'The Developer reads it at its next turn. All comments are sent as one message.'
      }
      footer={
        <>
          {!over && <CliCommand command={cli.say(run.short_id, message)} />}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            loading={isBusy}
            disabled={message === '' || (over && (title.trim() === '' || !run.worktree_path))}
            onClick={submit}
          >
            {over ? 'Start run' : 'Send'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {over && (
          <Field label="Title">
            {(control) => (
              <Input
                {...control}
                value={title}
                onChange={(event) => setTitle(event.target.value)}
              />
            )}
          </Field>
        )}
        <Field label="Introduction" optional>
          {(control) => (
            <Textarea
              {...control}
              minRows={2}
              value={note}
              onChange={(event) => writeNote(review, event.target.value)}
              onSubmit={submit}
            />
          )}
        </Field>
        <MessagePreview text={message} />
        {error && (
          <p role="alert" className="text-sm text-failed">
            <CodedText>{error.message}</CodedText>
          </p>
        )}
      </div>
    </Dialog>
  );
}
