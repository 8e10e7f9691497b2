import { cn } from '@/lib/cn';
import { cli } from '@/model/cli/cli';
import type { Comment } from '@/model/comments/comments';
import { lineOfTask, type PlanTask } from '@/model/plan/plan';
import { CliCommand } from '@/ui/cli-command';
import type { RunDetail } from '@/wire/RunDetail';
import type { ReviewKey } from '../comments/store';
import { RunPageHeader } from '../run-page-header';
import { PlanBar } from './plan-bar';
import { PlanForecast } from './plan-forecast';
import { PlanRail } from './plan-rail';
import { PlanStates } from './plan-states';
import { PlanStatus } from './plan-status';
import { PlanSwitch } from './plan-switch';
import { PlanText } from './plan-text';
import { usePlanActions } from './use-plan-actions';
import { usePlanEdit } from './use-plan-edit';
import { usePlanReview } from './use-plan-review';

/** A plan on a page of its own, to be read, commented, edited and decided. */
export function PlanScreen({ run }: { run: RunDetail }) {
  const { id } = run;
  const review = usePlanReview(run);
  const { plan, markdown, isWaiting, older, state } = review;
  const comments: ReviewKey = `plan.${id}`;
  const edit = usePlanEdit(id, plan.data?.plan ?? state.markdown ?? '');
  const actions = usePlanActions(id, review.request ?? '', comments, () => {
    edit.reset();
    review.setView('read');
  });
  const canEdit = isWaiting && older === null;
  const wanted = canEdit ? edit.wanted : null;
  const isEditing = canEdit && review.view === 'edit';
  const goToTask = (task: PlanTask) => {
    const text = wanted ?? markdown;
    const line = text && lineOfTask(text, task);
    if (line) goToLine(line, () => review.setView('read'));
  };
  const goToComment = ({ place }: Comment) =>
    place.kind === 'plan' && goToLine(place.start, () => review.setView('read'));

  return (
    <div className="flex min-h-full flex-col">
      <RunPageHeader
        id={id}
        what="Plan"
        run={run}
        actions={<CliCommand command={cli.plan(run.short_id)} />}
      />
      {markdown === null ? (
        <PlanStates
          size="page"
          error={plan.error}
          isPending={plan.isPending}
          run={run}
          onRetry={() => void plan.refetch()}
        />
      ) : (
        <div
          className={cn(
            'mx-auto grid w-full max-w-310 flex-1 content-start gap-x-10 gap-y-6 px-4 py-4 md:px-8',
            isEditing ? 'max-w-400' : 'lg:grid-cols-[minmax(0,1fr)_19rem]',
          )}
        >
          <div className="flex min-w-0 flex-col gap-4">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <PlanSwitch review={review} canEdit={canEdit} hasEdits={edit.edited !== null} />
              {state.plan && <PlanForecast plan={state.plan} run={run} />}
            </div>
            <PlanStatus review={review} />
            <PlanText
              review={review}
              comments={comments}
              markdown={markdown}
              edit={edit}
              canEdit={canEdit}
            />
          </div>
          <div
            className={cn(
              !isEditing &&
                'lg:sticky lg:top-4 lg:max-h-[calc(100dvh-9rem)] lg:self-start lg:overflow-y-auto lg:pr-1',
            )}
          >
            <PlanRail
              review={review}
              comments={comments}
              onGoToTask={goToTask}
              onGoToComment={goToComment}
            />
          </div>
        </div>
      )}
      {canEdit && review.request !== null && (
        <PlanBar
          shortId={run.short_id}
          request={review.request}
          review={comments}
          edit={edit}
          isEditing={isEditing}
          onSwitch={() => review.setView(isEditing ? 'read' : 'edit')}
          actions={actions}
        />
      )}
    </div>
  );
}

/** The block that has the line, once it is drawn. */
function goToLine(line: number, showText: () => void): void {
  showText();
  requestAnimationFrame(() => {
    const blocks = [...document.querySelectorAll<HTMLElement>('[data-block]')];
    const block = blocks.findLast((one) => Number(one.dataset.from) <= line);
    block?.scrollIntoView({ block: 'start' });
    block?.focus({ preventScroll: true });
  });
}
