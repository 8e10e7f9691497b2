import { WifiOff } from 'lucide-react';
import { useConnection } from '@/api/connection';
import { Spinner } from '@/ui/spinner';
import { Tooltip } from '@/ui/tooltip';

/** Says when what is on the screen may be old. While all is well it is silent. */
export function ConnectionChip() {
  const { state, lostAt } = useConnection();
  const since = lostAt === null ? null : new Date(lostAt).toLocaleTimeString();
  return (
    <div role="status" aria-live="polite" className="flex items-center">
      {state === 'connecting' && (
        <span className="flex items-center gap-1.5 px-2 text-xs text-muted">
          <Spinner /> Connecting
        </span>
      )}
      {state === 'lost' && (
        <Tooltip
          side="bottom"
          label={`Disconnected since ${since}. This page shows the state at that time and reconnects automatically.`}
        >
          <button
            type="button"
            className="flex items-center gap-1.5 rounded-full bg-failed-soft px-2.5 py-1 text-xs font-medium text-failed"
          >
            <WifiOff className="size-3.5" aria-hidden /> Disconnected
          </button>
        </Tooltip>
      )}
    </div>
  );
}
