import { useState } from 'react';
import { useNewReview, useNewRun } from '@/api/actions';
import { ApiError } from '@/api/http';
import { type Draft, reviewOf, type StartMode, workflowOf } from '@/model/start/draft';
import { type Problem, problemsOf, problemsOfError } from '@/model/start/draft-problems';
import { UnreadableFile, withAttachments } from './read-attachment';

/** Starts a run from the draft; keeps what is wrong with it, by field. */
export function useStartRun(
  draft: Draft,
  files: readonly File[],
  onStarted: (run: string, when: StartMode) => void,
) {
  const newRun = useNewRun();
  const newReview = useNewReview();
  const [problems, setProblems] = useState<Problem[]>([]);
  const [sending, setSending] = useState<StartMode | null>(null);
  // Counts refusals, so that the summary takes the focus each time.
  const [refusals, setRefusals] = useState(0);

  const refuse = (found: Problem[]) => {
    setProblems(found);
    setRefusals((count) => count + 1);
  };
  const start = async (when: StartMode) => {
    if (sending) return;
    const found = problemsOf(draft);
    if (found.length > 0) return refuse(found);
    setSending(when);
    setProblems([]);
    try {
      const { id } =
        draft.kind === 'review'
          ? await newReview.mutateAsync(reviewOf(draft))
          : await newRun.mutateAsync(await withAttachments(workflowOf(draft, when), files));
      onStarted(id, when);
    } catch (error) {
      if (error instanceof UnreadableFile)
        return refuse([{ field: 'attachments', message: error.message }]);
      if (!(error instanceof ApiError)) throw error;
      refuse(problemsOfError(error, draft));
    } finally {
      setSending(null);
    }
  };
  /** The problems of changed fields go, and so do those of the draft as a whole. */
  const clearProblemsOf = (fields: readonly string[]) =>
    setProblems((all) => all.filter(({ field }) => field !== null && !fields.includes(field)));
  return { start, problems, refusals, sending, clearProblemsOf, clear: () => setProblems([]) };
}
