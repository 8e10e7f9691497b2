import { useNavigate } from 'react-router';
import { useApprove, useCancel, useReject } from '@/api/actions';
import { ApiError } from '@/api/http';
import { toast } from '@/lib/toast';
import { markSent, type ReviewKey } from '../comments/store';

type ActionError = { error: string; hint: string | null };

/** What a person decides about the plan that waits; what the server refuses comes back with its reason. */
export function usePlanActions(id: string, request: string, review: ReviewKey, onDone: () => void) {
  const navigate = useNavigate();
  const approve = useApprove();
  const reject = useReject();
  const cancel = useCancel();
  const openRun = () => void navigate(`/runs/${id}`);
  const done = () => {
    markSent(review);
    onDone();
  };
  const error = approve.error ?? reject.error ?? cancel.error;
  return {
    isBusy: approve.isPending || reject.isPending || cancel.isPending,
    refusal: error && wordsOf(error),
    approve: (plan: string | null, feedback: string) =>
      approve.mutate(
        {
          run: id,
          request,
          ...(plan === null ? {} : { plan }),
          ...(feedback === '' ? {} : { feedback }),
        },
        {
          // There is nothing left to decide here: what happens next is on the page of the run.
          onSuccess: () => {
            done();
            openRun();
            const title = plan === null ? 'Plan approved' : 'Edited plan approved';
            toast({ tone: 'success', title, description: 'The Developer starts now.' });
          },
        },
      ),
    reject: (feedback: string, after: () => void) =>
      reject.mutate(
        { run: id, request, feedback },
        {
          onSuccess: () => {
            after();
            done();
            toast({
              tone: 'success',
              title: 'Changes requested',
              description: 'The Architect is writing a new plan.',
              action: { label: 'Open the run', run: openRun },
            });
          },
        },
      ),
    cancel: (after: () => void) =>
      cancel.mutate(
        { run: id },
        {
          onSuccess: () => {
            after();
            toast({ title: 'Cancelled', description: 'Its work so far is kept.' });
          },
        },
      ),
  };
}

export type PlanActions = ReturnType<typeof usePlanActions>;

function wordsOf(error: Error): ActionError {
  return { error: error.message, hint: error instanceof ApiError ? error.hint : null };
}
