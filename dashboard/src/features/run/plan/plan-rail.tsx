import type { ReactNode } from 'react';
import { shown } from '@/lib/visible';
import type { Comment } from '@/model/comments/comments';
import { filesTouched, type PlanTask } from '@/model/plan/plan';
import { isFinal } from '@/model/run/run-state';
import { CommentList } from '../comments/comment-list';
import { type ReviewKey, useReview } from '../comments/store';
import { PlanDecisions } from './plan-decisions';
import { PlanFileRow } from './plan-file-row';
import { PlanOutline } from './plan-outline';
import type { PlanReview } from './use-plan-review';

type PlanRailProps = {
  review: PlanReview;
  comments: ReviewKey;
  onGoToTask: (task: PlanTask) => void;
  onGoToComment: (comment: Comment) => void;
};

/** Beside the text: what is wrong, what is to be done, where, what was said. */
export function PlanRail({ review, comments, onGoToTask, onGoToComment }: PlanRailProps) {
  const { plan, problems, tasksDone } = review.state;
  const kept = useReview(comments);
  const isUnderWay = !review.isWaiting && tasksDone > 0;
  // The parts of a plan are known of the last revision only.
  const ofLatest = review.older ? ' in the latest revision' : '';
  const found = review.older?.problems ?? problems;
  return (
    <aside aria-label="About the plan" className="flex flex-col gap-5">
      {found.length > 0 && (
        <Part title="Problems found">
          <ul className="flex flex-col gap-1 rounded-lg bg-needs-you-soft px-3 py-2 text-sm text-needs-you">
            {found.map((problem) => (
              <li key={problem} className="wrap-anywhere">
                {shown(problem)}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {plan && (
        <>
          <Part title={`Tasks${ofLatest}`}>
            <PlanOutline
              tasks={plan.tasks}
              done={isUnderWay ? tasksDone : null}
              isOver={isFinal(review.run.status)}
              onGo={onGoToTask}
            />
          </Part>
          <Part title={`Files to change${ofLatest}`}>
            <ul className="flex flex-col gap-1">
              {filesTouched(plan).map((file) => (
                <PlanFileRow key={file.path} path={file.path} operations={file.operations} />
              ))}
            </ul>
          </Part>
        </>
      )}
      {(review.isWaiting || kept.comments.length > 0) && (
        <Part title="Your comments">
          <CommentList
            review={comments}
            comments={kept.comments}
            onGo={onGoToComment}
            compact
            hint="None yet. Press + next to a paragraph, or C while a paragraph is focused."
          />
        </Part>
      )}
      {review.decisions.length > 0 && (
        <Part title="Decisions">
          <PlanDecisions decisions={review.decisions} />
        </Part>
      )}
    </aside>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-1.5 text-xs font-semibold text-muted">{title}</h2>
      {children}
    </section>
  );
}
