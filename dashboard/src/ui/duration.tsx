import { cn } from '@/lib/cn';
import { formatDuration, type Moment } from '@/lib/format';
import { useNow } from '@/lib/use-now';

type DurationProps = {
  /** How long it took. */
  ms?: number | undefined;
  /** Or since when it lasts: then it counts up. */
  since?: Moment | undefined;
  className?: string;
};

export function Duration({ ms, since, className }: DurationProps) {
  if (ms !== undefined) return <Text ms={ms} className={className} />;
  if (since !== undefined) return <LiveDuration since={since} className={className} />;
  return null;
}

function LiveDuration({ since, className }: { since: Moment; className: string | undefined }) {
  const now = useNow(1_000);
  const seconds = Math.floor((now - new Date(since).getTime()) / 1_000);
  return <Text ms={Math.max(0, seconds) * 1_000} className={className} />;
}

function Text({ ms, className }: { ms: number; className: string | undefined }) {
  return (
    <span className={cn('tabular font-mono text-[0.92em]', className)}>{formatDuration(ms)}</span>
  );
}
