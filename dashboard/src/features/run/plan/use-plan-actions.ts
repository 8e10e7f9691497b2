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
  const done = (title: string, description: string) => {
    markSent(review);
    onDone();
    toast({
      tone: 'success',
      title,
      description,
      action: { label: 'Open the run', run: () => void navigate(`/runs/${id}`) },
    });
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
          onSuccess: () =>
            done(
              plan === null ? 'Plan approved' : 'Edited plan approved',
              'The Developer starts now.',
            ),
        },
      ),
    reject: (feedback: string, after: () => void) =>
      reject.mutate(
        { run: id, request, feedback },
        {
          onSuccess: () => {
            after();
            done('Changes requested', 'The Architect is writing a new plan.');
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
