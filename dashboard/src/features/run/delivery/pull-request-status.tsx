import { usePullRequest } from '@/api/delivery';
import { plural } from '@/lib/format';
import type { PullRequestDetail } from '@/wire/PullRequestDetail';
import type { PullRequestShown } from '@/wire/PullRequestShown';

/** The pull request of a run: its link, and how it stands. */
export function PullRequestStatus({ run, opened }: { run: string; opened: PullRequestShown }) {
  const { data, error } = usePullRequest(run);
  return (
    <span className="text-sm">
      <a href={opened.url} target="_blank" rel="noreferrer" className="font-medium underline">
        Pull request #{opened.number}
      </a>
      {data && <span className="text-muted"> {words(data)}</span>}
      {error && <span className="text-muted"> (its state is unknown: {error.message})</span>}
    </span>
  );
}

/** State, checks and reviews in a few words. */
export function words({ status, checks, reviews, has_conflicts }: PullRequestDetail): string {
  const failed = checks.filter(({ outcome }) => outcome === 'failed').length;
  const running = checks.filter(({ outcome }) => outcome === 'running').length;
  const approvals = reviews.filter(({ verdict }) => verdict === 'approved').length;
  const requests = reviews.filter(({ verdict }) => verdict === 'changes_requested').length;
  const parts = [
    `is ${status === 'draft' ? 'a draft' : status}`,
    status !== 'merged' && has_conflicts === true && 'has conflicts',
    failed > 0 && `${plural(failed, 'check')} failed`,
    failed === 0 && running > 0 && `${plural(running, 'check')} running`,
    checks.length > 0 && failed === 0 && running === 0 && 'all checks passed',
    requests > 0 && 'changes requested',
    requests === 0 && approvals > 0 && plural(approvals, 'approval'),
  ];
  return parts.filter((part) => part !== false).join(', ');
}
