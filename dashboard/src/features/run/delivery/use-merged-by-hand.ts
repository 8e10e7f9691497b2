import { useMergedInto } from '@/api/delivery';
import type { RunDetail } from '@/wire/RunDetail';

/** Whether a run has a branch with a change that can go somewhere. */
export const isDeliverable = ({ status, branch, in_place }: RunDetail) =>
  status === 'completed' && branch !== null && !in_place;

/** The branch that has the change although Amelia has not merged it, or the commit of its merge is gone: a person has
 * merged it with git, or another run has brought it. */
export function useMergedByHand(detail: RunDetail) {
  const isOpen = isDeliverable(detail) && !detail.outcome?.merged;
  const { data, isLoading } = useMergedInto(detail.id, isOpen);
  return { into: (isOpen && data) || null, isLoading };
}
