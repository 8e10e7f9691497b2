import { MessageSquare, Send } from 'lucide-react';
import { useState } from 'react';
import type { Comment } from '@/model/comments/comments';
import { isFinal } from '@/model/run/run-state';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Sheet } from '@/ui/sheet';
import type { RunDetail } from '@/wire/RunDetail';
import { CommentList } from '../comments/comment-list';
import { type ReviewKey, unsent, useReview } from '../comments/store';
import { SendComments } from './send-comments';

type DiffCommentsProps = {
  run: RunDetail;
  branch: string | null;
  review: ReviewKey;
  onGo: (comment: Comment) => void;
};

/** The button with the count, the list behind it, and the way out for all of them at once. */
export function DiffComments({ run, branch, review, onGo }: DiffCommentsProps) {
  const [isListed, setListed] = useState(false);
  const [isSending, setSending] = useState(false);
  const kept = useReview(review);
  const waiting = unsent(kept);
  const go = (comment: Comment) => {
    setListed(false);
    // The sheet gives the focus back first.
    setTimeout(() => onGo(comment), 60);
  };
  return (
    <>
      <Button icon={<MessageSquare />} onClick={() => setListed(true)}>
        <span className="max-md:sr-only">Comments</span>
        {waiting.length > 0 && (
          <Badge tone="accent" mono className="-mr-1 rounded-full">
            {waiting.length}
          </Badge>
        )}
      </Button>
      <Sheet
        open={isListed}
        onOpenChange={setListed}
        title="Comments on the changes"
        description="Stored in this browser until you send them, together as one message."
        footer={
          <Button
            variant="primary"
            icon={<Send />}
            disabled={waiting.length === 0}
            onClick={() => {
              setListed(false);
              setSending(true);
            }}
          >
            {isFinal(run.status) ? 'Start a follow-up run…' : 'Send to the Developer…'}
          </Button>
        }
      >
        <CommentList
          review={review}
          comments={kept.comments}
          onGo={go}
          hint="Click the plus next to a line, or press `c` on a focused line."
        />
      </Sheet>
      {isSending && (
        <SendComments
          run={run}
          branch={branch}
          review={review}
          comments={waiting}
          onClose={() => setSending(false)}
        />
      )}
    </>
  );
}
