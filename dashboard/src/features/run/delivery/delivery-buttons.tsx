import { GitMerge, GitPullRequest } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/ui/button';
import type { MergedShown } from '@/wire/MergedShown';
import type { RunDetail } from '@/wire/RunDetail';
import { MergeDialog } from './merge-dialog';
import { PullRequestDialog } from './pull-request-dialog';
import { isDeliverable, useMergedByHand } from './use-merged-by-hand';

/** What can be done with the change of a completed run; nothing when it is where it belongs. */
export function DeliveryButtons({ detail }: { detail: RunDetail }) {
  const [open, setOpen] = useState<'merge' | 'pull-request' | null>(null);
  const { outcome } = detail;
  const byHand = useMergedByHand(detail);
  if (!isDeliverable(detail) || isMerged(outcome?.merged)) return null;
  if (byHand.isLoading || byHand.into !== null) return null;
  const shared = (what: typeof open) => ({
    detail,
    open: open === what,
    onOpenChange: (isOpen: boolean) => !isOpen && setOpen(null),
  });
  return (
    <>
      {!outcome?.pull_request && (
        <Button size="sm" onClick={() => setOpen('pull-request')}>
          <GitPullRequest aria-hidden />
          Open pull request
        </Button>
      )}
      <Button size="sm" onClick={() => setOpen('merge')}>
        <GitMerge aria-hidden />
        {outcome?.merged ? 'Merge again' : 'Merge'}
      </Button>
      {open === 'merge' && <MergeDialog {...shared('merge')} />}
      {open === 'pull-request' && <PullRequestDialog {...shared('pull-request')} />}
    </>
  );
}

/** Whether another merge would change nothing: reverted commits are still in the branch. */
const isMerged = (merged: MergedShown | null | undefined) =>
  merged != null && merged.undone !== 'removed';
