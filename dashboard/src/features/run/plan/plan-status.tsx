import { CircleCheck, History, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { shown } from '@/lib/visible';
import { Button } from '@/ui/button';
import { TimeAgo } from '@/ui/time-ago';
import { decisionWord } from './plan-decisions';
import type { PlanReview } from './use-plan-review';

type PlanStatusProps = { review: PlanReview };

/** Why there is nothing to decide here: who decided, or that this is an older revision. */
export function PlanStatus({ review }: PlanStatusProps) {
  const { older, isWaiting, decisions, latest, run } = review;
  if (older) {
    return (
      <Notice icon={<History />} tone="bg-paused-soft text-paused">
        Revision {older.revision} of {latest?.revision}, shown <TimeAgo at={older.created_at} />
        {latest && (
          <Button
            size="sm"
            variant="link"
            className="ml-2"
            onClick={() => review.setRevision(latest)}
          >
            Go to latest
          </Button>
        )}
        {older.feedback && (
          <span className="mt-1 block whitespace-pre-wrap text-fg">
            Changes requested: {shown(older.feedback)}
          </span>
        )}
      </Notice>
    );
  }
  if (isWaiting) return null;
  const last = decisions.findLast(({ reply }) => reply !== null)?.reply;
  if (!last) return null;
  const isYes = last.action === 'approve' || last.action === 'modify';
  return (
    <Notice
      icon={isYes ? <CircleCheck /> : <Undo2 />}
      tone={isYes ? 'bg-done-soft text-done' : 'bg-needs-you-soft text-needs-you'}
    >
      {decisionWord(last)} <TimeAgo at={last.at} />
      {!isYes && run.status === 'running' && ': the Architect is writing a new plan'}
    </Notice>
  );
}

function Notice({ icon, tone, children }: { icon: ReactNode; tone: string; children: ReactNode }) {
  return (
    <div
      role="status"
      className={cn(
        'flex items-start gap-2 rounded-lg px-3 py-2 text-sm [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0',
        tone,
      )}
    >
      {icon}
      <div className="min-w-0 wrap-anywhere">{children}</div>
    </div>
  );
}
