import { Hourglass } from 'lucide-react';
import { formatDuration } from '@/lib/format';

type WorkTimeProps = { work: number; waited: number };

/** How long something was at work; when all it did was wait for a person, how long that was. */
export function WorkTime({ work, waited }: WorkTimeProps) {
  const isWaiting = isOnlyWaiting({ work, waited });
  const words = `Active for ${formatDuration(work)}, waited for you for ${formatDuration(waited)}`;
  return (
    <span
      title={waited > 0 ? words : undefined}
      className={`tabular inline-flex items-center gap-1 font-mono ${isWaiting ? 'text-needs-you' : ''}`}
    >
      {isWaiting && (
        <>
          <Hourglass aria-hidden className="size-3" />
          <span className="sr-only">waited </span>
        </>
      )}
      {formatDuration(isWaiting ? waited : work)}
    </span>
  );
}

/** A stage that asks works no time to speak of. */
export const isOnlyWaiting = ({ work, waited }: WorkTimeProps) => waited > 0 && work < 100;
