import { GitCompareArrows } from 'lucide-react';
import { Link } from 'react-router';
import { useDiff } from '@/api/runs';
import { plural } from '@/lib/format';
import { acceptedAsIs } from '@/model/run/accepted';
import { Button } from '@/ui/button';
import { CommandBox } from '@/ui/command-box';
import type { MergedShown } from '@/wire/MergedShown';
import type { RunDetail } from '@/wire/RunDetail';
import { DeliveryButtons } from '../delivery/delivery-buttons';
import { PullRequestStatus } from '../delivery/pull-request-status';
import { isDeliverable, useMergedByHand } from '../delivery/use-merged-by-hand';
import { ResultDetails } from './result-details';

/** Whether there is a result to show. */
export const hasResult = ({ status, outcome }: RunDetail) =>
  status === 'completed' && outcome !== null;

/** What has come of a run that is done, and the next step with it. */
export function DoneStrip({ detail }: { detail: RunDetail }) {
  const { outcome, id } = detail;
  const isUnchanged = useIsUnchanged(detail);
  if (!hasResult(detail) || outcome === null) return null;
  const undo = outcome.merged?.undone === null ? outcome.merged.undo : null;
  return (
    <section
      aria-label="Result"
      className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-done-soft px-3 py-2 md:px-5"
    >
      <p className="min-w-0 flex-1 basis-72 text-sm text-pretty wrap-anywhere">
        <Result detail={detail} />
        {acceptedAsIs(outcome.tasks).map((sentence) => (
          <span key={sentence} className="block font-medium text-needs-you">
            {sentence}
          </span>
        ))}
        {outcome.pull_request && (
          <>
            {' '}
            <PullRequestStatus run={id} opened={outcome.pull_request} />
          </>
        )}
      </p>
      {!isUnchanged && isDeliverable(detail) && (
        <div className="flex flex-wrap items-center gap-2">
          <DeliveryButtons detail={detail} />
          <Button asChild size="sm" variant="primary">
            <Link to={`/runs/${id}/diff`}>
              <GitCompareArrows aria-hidden />
              See changes
            </Link>
          </Button>
        </div>
      )}
      <ResultDetails outcome={outcome} isWhole={!isDeliverable(detail)} />
      {undo && outcome.merged && (
        <div className="flex basis-full flex-col gap-1 text-xs text-muted">
          <span>To undo the merge, while {outcome.merged.into} has no newer commits:</span>
          <CommandBox command={undo} />
        </div>
      )}
    </section>
  );
}

/** Whether there is nothing to merge or to look at. */
function useIsUnchanged(detail: RunDetail): boolean {
  const { id, outcome } = detail;
  const hasNoCommit =
    isDeliverable(detail) && outcome !== null && outcome.commits.length === 0 && !outcome.merged;
  const { data: changes } = useDiff(id, { stat: true }, hasNoCommit);
  return hasNoCommit && changes?.files.length === 0;
}

function Result({ detail }: { detail: RunDetail }) {
  const { outcome, branch } = detail;
  const merged = outcome?.merged;
  const byHand = useMergedByHand(detail);
  if (merged?.undone) return <UndoneMerge merged={merged} />;
  if (merged)
    return (
      <>
        <span className="font-semibold text-done">Merged</span> into{' '}
        <span className="font-mono text-xs">{merged.into}</span> as{' '}
        <span className="font-mono text-xs">{merged.commit.slice(0, 7)}</span>.
      </>
    );
  if (!isDeliverable(detail)) return <span className="font-semibold text-done">Completed.</span>;
  if (byHand.into !== null)
    return (
      <>
        <span className="font-semibold text-done">Merged:</span>{' '}
        <span className="font-mono text-xs">{byHand.into}</span> has its changes.
      </>
    );
  const commits = outcome?.commits.length ?? 0;
  const isReviewed = acceptedAsIs(outcome?.tasks ?? []).length === 0;
  return (
    <>
      <span className="font-semibold text-done">Completed.</span>{' '}
      {commits > 0 ? (
        <>
          {plural(commits, isReviewed ? 'reviewed commit' : 'commit')} on{' '}
          <span className="font-mono text-xs">{branch}</span>.
          <span className="max-md:hidden"> Your checkout is unchanged.</span>
        </>
      ) : (
        <OneAgentsChange id={detail.id} />
      )}
    </>
  );
}

function UndoneMerge({ merged: { into, commit, branch, undone } }: { merged: MergedShown }) {
  return (
    <>
      <span className="font-semibold text-needs-you">Merge undone.</span>{' '}
      <span className="font-mono text-xs">{into}</span>{' '}
      {undone === 'removed' ? (
        <>
          no longer has <span className="font-mono text-xs">{commit.slice(0, 7)}</span>. The change
          is on <span className="font-mono text-xs">{branch}</span>.
        </>
      ) : (
        <>
          has commits that revert <span className="font-mono text-xs">{commit.slice(0, 7)}</span>.
          To get the change back, revert them.
        </>
      )}
    </>
  );
}

/** A single agent may leave its change without a commit. */
function OneAgentsChange({ id }: { id: string }) {
  const { data: changes } = useDiff(id, { stat: true });
  if (!changes) return null;
  const { files, uncommitted, branch, worktree } = changes;
  if (files.length === 0) return 'Nothing was changed.';
  if (uncommitted > 0)
    return (
      <>
        {plural(uncommitted, 'changed file')} {uncommitted === 1 ? 'is' : 'are'} not committed yet,
        in the worktree
        <span className="max-md:hidden">
          {' '}
          <span className="font-mono text-xs">{worktree}</span>
        </span>
        . A merge or a pull request commits {uncommitted === 1 ? 'it' : 'them'} first.
      </>
    );
  return (
    <>
      The change is on <span className="font-mono text-xs">{branch}</span>. Your checkout is
      unchanged.
    </>
  );
}
