import { WifiOff } from 'lucide-react';
import { useConnection } from '@/api/connection';
import { formatClock } from '@/lib/format';
import { useNow } from '@/lib/use-now';

/** A connection that is back at once is not worth a word. */
const GRACE_MS = 1_500;

export function DisconnectedStrip() {
  const lostAt = useConnection((state) => state.lostAt);
  return lostAt === null ? null : <Strip lostAt={lostAt} />;
}

function Strip({ lostAt }: { lostAt: number }) {
  const now = useNow(1_000);
  if (now - lostAt < GRACE_MS) return null;
  return (
    <p
      role="status"
      className="sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-needs-you-soft px-5 py-1.5 text-needs-you"
    >
      <WifiOff aria-hidden className="size-4 shrink-0" />
      <span>
        Disconnected. Showing the state at <span className="tabular">{formatClock(lostAt)}</span>.
        Reconnecting automatically.
      </span>
    </p>
  );
}
