import { formatDateTime, formatRelative, type Moment } from '@/lib/format';
import { useNow } from '@/lib/use-now';

type TimeAgoProps = { at: Moment; className?: string };

/** `5m ago`, kept fresh; the whole local time is in its title. */
export function TimeAgo({ at, className }: TimeAgoProps) {
  const now = useNow();
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span className={className}>unknown time</span>;
  return (
    <time dateTime={date.toISOString()} title={formatDateTime(date)} className={className}>
      {formatRelative(date, now)}
    </time>
  );
}
