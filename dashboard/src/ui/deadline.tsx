import { Timer } from 'lucide-react';
import { formatDateTime, formatDuration } from '@/lib/format';
import { useNow } from '@/lib/use-now';
import { Badge } from '@/ui/badge';

type DeadlineProps = { at: string; after: string };

/** Counts down, and says what silence means. */
export function Deadline({ at, after }: DeadlineProps) {
  const now = useNow(1_000);
  const left = new Date(at).getTime() - now;
  const isClose = left < 300_000;
  return (
    <Badge
      tone={isClose ? 'failed' : 'needs-you'}
      icon={<Timer />}
      title={`Until ${formatDateTime(at)}, ${after}`}
      className="tabular"
    >
      {left > 0
        ? `${formatDuration(Math.ceil(left / 1_000) * 1_000)} left, ${after}`
        : 'Time is up'}
    </Badge>
  );
}
