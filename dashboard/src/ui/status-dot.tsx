import { cn } from '@/lib/cn';
import { type StatusToken, statusTones } from '@/ui/tones';

type StatusDotProps = {
  status: StatusToken;
  /** Pulses, for what is in progress. On by default for `running`. */
  live?: boolean;
  className?: string;
};

/** Only a picture: put the word beside it. Shape differs too, so that colour is not alone. */
export function StatusDot({ status, live = status === 'running', className }: StatusDotProps) {
  const hollow = status === 'queued' || status === 'cancelled';
  return (
    <span
      aria-hidden
      className={cn(
        'inline-block size-2 shrink-0',
        status === 'needs-you' ? 'rotate-45 rounded-[2px]' : 'rounded-full',
        status === 'paused' && 'rounded-[2px]',
        hollow
          ? cn('border-[1.5px] border-current', statusTones[status].text)
          : statusTones[status].fill,
        live && 'animate-pulse-soft',
        className,
      )}
    />
  );
}
