import { GitMerge, GitPullRequest } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/ui/button';
import type { RunDetail } from '@/wire/RunDetail';
import { MergeDialog } from './merge-dialog';
import { PullRequestDialog } from './pull-request-dialog';

type DeliveryButtonsProps = {
  detail: RunDetail;
  /** Icons only on a narrow screen: a header has no room for words there. */
  compact?: boolean;
};

/** What can be done with the change of a completed run; nothing when it is where it belongs. */
export function DeliveryButtons({ detail, compact = false }: DeliveryButtonsProps) {
  const [open, setOpen] = useState<'merge' | 'pull-request' | null>(null);
  const { outcome } = detail;
  const label = compact ? 'max-md:sr-only' : '';
  if (!isDeliverable(detail) || outcome?.merged) return null;
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
          <span className={label}>Open pull request</span>
        </Button>
      )}
      <Button size="sm" onClick={() => setOpen('merge')}>
        <GitMerge aria-hidden />
        <span className={label}>Merge</span>
      </Button>
      {open === 'merge' && <MergeDialog {...shared('merge')} />}
      {open === 'pull-request' && <PullRequestDialog {...shared('pull-request')} />}
    </>
  );
}

/** Whether a run has a branch with a change that can go somewhere. */
export const isDeliverable = ({ status, branch, in_place }: RunDetail) =>
  status === 'completed' && branch !== null && !in_place;
