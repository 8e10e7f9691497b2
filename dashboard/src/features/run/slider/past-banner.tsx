import { GitFork, History } from 'lucide-react';
import { formatClock } from '@/lib/format';
import type { RunLog } from '@/model/run/run-log';
import type { RunState } from '@/model/run/run-state';
import { Button } from '@/ui/button';
import { StatusBadge } from '@/ui/status-badge';

type PastBannerProps = {
  log: RunLog;
  at: number;
  /** How the run stood then, where nothing else says so. */
  status: RunState | null;
  onNow: () => void;
  /** Nothing when there is no checkpoint yet to fork from. */
  onFork: (() => void) | null;
};

export function PastBanner({ log, at, status, onNow, onFork }: PastBannerProps) {
  const event = log.events[log.indexAfter(at) - 1];
  return (
    <div
      role="status"
      className="flex min-h-9 shrink-0 items-center gap-2 border-b border-line bg-accent-soft px-3 text-xs text-accent-text md:px-5"
    >
      <History aria-hidden className="size-4 shrink-0" />
      <span className="tabular min-w-0">
        {status ? 'As' : 'Showing the run as'} of #{at}
        {event && `, ${formatClock(event.at)}`}
      </span>
      {status && <StatusBadge status={status.tone}>{status.word}</StatusBadge>}
      <Button size="sm" variant="link" onClick={onNow}>
        Back to now
      </Button>
      {onFork && (
        <Button size="sm" icon={<GitFork />} className="my-1 ml-auto" onClick={onFork}>
          Fork<span className="max-md:sr-only"> here</span>
        </Button>
      )}
    </div>
  );
}
