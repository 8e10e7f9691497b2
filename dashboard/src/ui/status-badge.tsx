import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { StatusDot } from '@/ui/status-dot';
import { type StatusToken, statusTones } from '@/ui/tones';

type StatusBadgeProps = {
  status: StatusToken;
  /** The word; the token's own name if left out. */
  children?: ReactNode;
  live?: boolean;
  className?: string;
};

const words: Record<StatusToken, string> = {
  queued: 'Queued',
  running: 'Running',
  'needs-you': 'Needs you',
  paused: 'Paused',
  done: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export function StatusBadge({ status, children, live, className }: StatusBadgeProps) {
  const { soft, text } = statusTones[status];
  return (
    <span
      className={cn(
        'inline-flex h-5.5 shrink-0 items-center gap-1.5 rounded-full px-2 text-xs font-medium whitespace-nowrap',
        soft,
        text,
        className,
      )}
    >
      <StatusDot status={status} {...(live === undefined ? {} : { live })} />
      {children ?? words[status]}
    </span>
  );
}
