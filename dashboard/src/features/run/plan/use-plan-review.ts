import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useInbox, usePlanAsked, usePlanRevisions } from '@/api/runs';
import { planStateOf } from '@/model/plan/plan';
import type { QuestionFact } from '@/model/run/facts';
import type { PlanRevision } from '@/wire/PlanRevision';
import type { RunDetail } from '@/wire/RunDetail';
import { useSlowLog } from '../use-slow-log';

export const planViews = ['read', 'edit', 'changes'] as const;
export type PlanView = (typeof planViews)[number];

/** Everything that the review of a plan is made of. What is looked at lives in the address. */
export function usePlanReview(run: RunDetail) {
  const { id } = run;
  const [search, setSearch] = useSearchParams();
  const plan = usePlanAsked(id);
  const request = plan.data?.request ?? null;
  const revisions = usePlanRevisions(id);
  const inbox = useInbox();
  const { log, version } = useSlowLog(id);
  const state = useMemo(() => planStateOf(run.state), [run.state]);

  const all = revisions.data ?? [];
  const asked = Number(search.get('rev'));
  const latest = all.at(-1) ?? null;
  const older = all.find((one) => one.revision === asked && one !== latest) ?? null;
  const markdown = older?.plan ?? plan.data?.plan ?? state.markdown;
  const pending = inbox.data ?? run.pending_requests;
  const isWaiting = pending.some((one) => one.request_id === request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log grows in place; its version tells.
  const decisions: QuestionFact[] = useMemo(
    () => log.facts.questions.filter(({ request }) => request.kind === 'approval'),
    [log, version],
  );

  const set = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === null) after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  const view = planViews.find((one) => one === search.get('view')) ?? 'read';
  return {
    run,
    plan,
    revisions,
    state,
    markdown,
    /** The revision that is looked at, when it is not the last. */
    older,
    latest,
    isWaiting,
    /** The question that this plan is the answer to. */
    request,
    decisions,
    view,
    setView: (next: PlanView) => set('view', next === 'read' ? null : next),
    setRevision: (one: PlanRevision) => set('rev', one === latest ? null : String(one.revision)),
  };
}

export type PlanReview = ReturnType<typeof usePlanReview>;
