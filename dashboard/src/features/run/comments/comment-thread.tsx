import { type Comment, type CommentPlace, placeKey } from '@/model/comments/comments';
import { CommentBox } from './comment-box';
import { CommentCard } from './comment-card';
import type { Review, ReviewKey } from './store';

type CommentThreadProps = { review: ReviewKey; comments: Comment[]; draft: Review['draft'] };

/** What stands at one place: comments, and the one that is being written. */
export function CommentThread({ review, comments, draft }: CommentThreadProps) {
  return (
    <div className="flex flex-col gap-2">
      {comments.map((comment) =>
        draft?.editing === comment.id ? (
          <CommentBox key={comment.id} review={review} draft={draft} />
        ) : (
          <CommentCard key={comment.id} review={review} comment={comment} />
        ),
      )}
      {draft && draft.editing === null && <CommentBox review={review} draft={draft} />}
    </div>
  );
}

/** What of a review stands at a place; `null` when nothing does. */
export function threadAt(
  review: Review,
  place: CommentPlace | string,
): { comments: Comment[]; draft: Review['draft'] } | null {
  const key = typeof place === 'string' ? place : placeKey(place);
  const comments = review.comments.filter((one) => placeKey(one.place) === key);
  const draft = review.draft && placeKey(review.draft.place) === key ? review.draft : null;
  return comments.length > 0 || draft ? { comments, draft } : null;
}
