import { Pencil, Send, Trash2 } from 'lucide-react';
import { cn } from '@/lib/cn';
import { toastWithUndo } from '@/lib/toast';
import { shown } from '@/lib/visible';
import { type Comment, placeLabel } from '@/model/comments/comments';
import { Badge } from '@/ui/badge';
import { IconButton } from '@/ui/icon-button';
import { TimeAgo } from '@/ui/time-ago';
import { editComment, type ReviewKey, removeComment, restoreComment } from './store';

type CommentCardProps = {
  review: ReviewKey;
  comment: Comment;
  /** In a list, where its place is not seen: leads there. */
  onGo?: () => void;
};

export function CommentCard({ review, comment, onGo }: CommentCardProps) {
  const remove = () => {
    const gone = removeComment(review, comment.id);
    if (gone) toastWithUndo('Comment removed', () => restoreComment(review, gone));
  };
  const edit = () => {
    onGo?.();
    editComment(review, comment);
  };
  return (
    <div
      className={cn(
        'rounded-lg border border-line bg-panel px-3 py-2 shadow-low',
        comment.sentAt && 'bg-canvas shadow-none',
      )}
    >
      <div className="flex min-h-6 items-center gap-1">
        {onGo ? (
          <button
            type="button"
            onClick={onGo}
            className="line-clamp-2 min-w-0 flex-1 rounded-sm text-left text-2xs font-medium wrap-anywhere text-accent-text hover:underline"
          >
            {shown(placeLabel(comment.place))}
          </button>
        ) : (
          <span className="min-w-0 flex-1 text-2xs text-subtle">
            Your comment, <TimeAgo at={comment.at} />
          </span>
        )}
        {comment.sentAt ? (
          <Badge icon={<Send />}>
            sent <TimeAgo at={comment.sentAt} />
          </Badge>
        ) : (
          <>
            <IconButton
              aria-label="Edit comment"
              size="sm"
              className="size-6"
              icon={<Pencil />}
              onClick={edit}
            />
            <IconButton
              aria-label="Remove comment"
              size="sm"
              className="size-6"
              icon={<Trash2 />}
              onClick={remove}
            />
          </>
        )}
      </div>
      <div className="text-sm wrap-anywhere whitespace-pre-wrap">{shown(comment.text)}</div>
    </div>
  );
}
