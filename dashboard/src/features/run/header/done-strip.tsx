import { GitCompareArrows } from 'lucide-react';
import { Link } from 'react-router';
import { plural } from '@/lib/format';
import { Button } from '@/ui/button';
import type { RunDetail } from '@/wire/RunDetail';
import { DeliveryButtons, isDeliverable } from '../delivery/delivery-buttons';
import { PullRequestStatus } from '../delivery/pull-request-status';

/** Whether there is a result to show. */
export const hasResult = (detail: RunDetail) => isDeliverable(detail) && detail.outcome !== null;

/** What has come of a run that is done, and the next step with it. */
export function DoneStrip({ detail }: { detail: RunDetail }) {
  const { outcome, id } = detail;
  if (!isDeliverable(detail) || outcome === null) return null;
  return (
    <section
      aria-label="Result"
      className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-done-soft px-3 py-2 md:px-5"
    >
      <p className="min-w-0 flex-1 basis-72 text-sm text-pretty wrap-anywhere">
        <Result detail={detail} />
        {outcome.pull_request && (
          <>
            {' '}
            <PullRequestStatus run={id} opened={outcome.pull_request} />
          </>
        )}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <DeliveryButtons detail={detail} />
        <Button asChild size="sm" variant="primary">
          <Link to={`/runs/${id}/diff`}>
            <GitCompareArrows aria-hidden />
            See changes
          </Link>
        </Button>
      </div>
    </section>
  );
}

function Result({ detail }: { detail: RunDetail }) {
  const { outcome, branch } = detail;
  const merged = outcome?.merged;
  if (merged)
    return (
      <>
        <span className="font-semibold text-done">Merged</span> into{' '}
        <span className="font-mono text-xs">{merged.into}</span> as{' '}
        <span className="font-mono text-xs">{merged.commit.slice(0, 7)}</span>.
      </>
    );
  const commits = outcome?.commits.length ?? 0;
  return (
    <>
      <span className="font-semibold text-done">Done.</span>{' '}
      {commits > 0 ? plural(commits, 'reviewed commit') : 'The change is'} on{' '}
      <span className="font-mono text-xs">{branch}</span>. Your checkout is unchanged.
    </>
  );
}
