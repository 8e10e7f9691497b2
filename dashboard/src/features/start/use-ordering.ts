import { useState } from 'react';
import { useNewReview, useNewRun } from '@/api/actions';
import { ApiError } from '@/api/http';
import { type Draft, reviewOf, type When, workflowOf } from '@/model/start/order';
import { type Problem, placed, problemsOf } from '@/model/start/order-problems';

/** Sends the draft as an order; keeps what is wrong with it, by field. */
export function useOrdering(draft: Draft, onOrdered: (run: string, when: When) => void) {
  const newRun = useNewRun();
  const newReview = useNewReview();
  const [problems, setProblems] = useState<Problem[]>([]);
  const [sending, setSending] = useState<When | null>(null);
  // Counts refusals, so that the summary takes the focus each time.
  const [refusals, setRefusals] = useState(0);

  const refuse = (found: Problem[]) => {
    setProblems(found);
    setRefusals((count) => count + 1);
  };
  const order = async (when: When) => {
    if (sending) return;
    const found = problemsOf(draft);
    if (found.length > 0) return refuse(found);
    setSending(when);
    setProblems([]);
    try {
      const { id } =
        draft.kind === 'review'
          ? await newReview.mutateAsync(reviewOf(draft))
          : await newRun.mutateAsync(workflowOf(draft, when));
      onOrdered(id, when);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refuse(placed(error, draft));
    } finally {
      setSending(null);
    }
  };
  /** A field that somebody changes is given another chance, and so is the order as a whole. */
  const forgive = (fields: readonly string[]) =>
    setProblems((all) => all.filter(({ field }) => field !== null && !fields.includes(field)));
  return { order, problems, refusals, sending, forgive, clear: () => setProblems([]) };
}
