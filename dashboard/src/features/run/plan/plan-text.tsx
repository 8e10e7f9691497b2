import type { ReviewKey } from '../comments/store';
import { PlanChanges } from './plan-changes';
import { PlanDocument } from './plan-document';
import { PlanEditor } from './plan-editor';
import type { usePlanEdit } from './use-plan-edit';
import type { PlanReview } from './use-plan-review';

type PlanTextProps = {
  review: PlanReview;
  comments: ReviewKey;
  markdown: string;
  edit: ReturnType<typeof usePlanEdit>;
  canEdit: boolean;
};

/** The plan itself: to read and comment, to edit, or what has changed. */
export function PlanText({ review, comments, markdown, edit, canEdit }: PlanTextProps) {
  const { view, older, latest, revisions } = review;
  if (view === 'edit' && canEdit)
    return (
      <PlanEditor
        original={markdown}
        text={edit.text}
        onChange={edit.write}
        onReset={edit.reset}
        onLeave={() => review.setView('read')}
      />
    );
  const seen = older ?? latest;
  const before = revisions.data?.findLast((one) => seen && one.revision < seen.revision);
  if (view === 'changes' && edit.edited !== null && older === null)
    return (
      <PlanChanges
        before={markdown}
        after={edit.edited}
        beforeName="the plan"
        afterName="your edits"
        feedback={null}
      />
    );
  if (view === 'changes' && seen && before)
    return (
      <PlanChanges
        before={before.plan}
        after={seen.plan}
        beforeName={`revision ${before.revision}`}
        afterName={`revision ${seen.revision}`}
        feedback={before.feedback}
      />
    );
  // What is decided about is what is read.
  const wanted = canEdit ? edit.wanted : null;
  return (
    <div className="rounded-lg border border-line bg-panel px-4 py-4 shadow-low md:px-10 md:py-6">
      {wanted !== null && (
        <p role="note" className="mb-4 text-xs text-muted">
          With your edits. They are sent when you approve the plan.
        </p>
      )}
      <PlanDocument
        markdown={wanted ?? markdown}
        revision={wanted === null ? (seen?.revision ?? null) : null}
        review={comments}
        canComment={canEdit}
      />
    </div>
  );
}
