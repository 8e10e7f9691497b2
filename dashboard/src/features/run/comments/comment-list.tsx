import { MessageSquare } from 'lucide-react';
import { type Comment, inOrder } from '@/model/comments/comments';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { CommentCard } from './comment-card';
import { type ReviewKey, removeSent } from './store';

type CommentListProps = {
  review: ReviewKey;
  comments: Comment[];
  onGo: (comment: Comment) => void;
  /** How one makes the first. */
  hint: string;
  /** In a narrow column. */
  compact?: boolean;
};

export function CommentList({ review, comments, onGo, hint, compact }: CommentListProps) {
  if (comments.length === 0 && compact) return <p className="text-sm text-muted">{hint}</p>;
  if (comments.length === 0)
    return (
      <EmptyState icon={<MessageSquare />} title="No comments yet" className="py-6">
        {hint}
      </EmptyState>
    );
  const sent = comments.filter(({ sentAt }) => sentAt !== null);
  const open = comments.filter(({ sentAt }) => sentAt === null);
  return (
    <div className="flex flex-col gap-2">
      {[...inOrder(open), ...inOrder(sent)].map((comment) => (
        <CommentCard
          key={comment.id}
          review={review}
          comment={comment}
          onGo={() => onGo(comment)}
        />
      ))}
      {sent.length > 0 && (
        <Button size="sm" variant="ghost" onClick={() => removeSent(review)}>
          Clear sent comments
        </Button>
      )}
    </div>
  );
}
