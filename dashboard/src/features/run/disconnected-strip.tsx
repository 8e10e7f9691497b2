import { Unplug } from 'lucide-react';
import { useEffect, useState } from 'react';

type DisconnectedStripProps = { seq: number };

/** A server that restarts is back by then. */
const PATIENCE_MS = 8_000;

export function DisconnectedStrip({ seq }: DisconnectedStripProps) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div
      role="status"
      className="flex min-h-8 shrink-0 items-center gap-2 border-b border-line bg-needs-you-soft px-3 text-xs text-needs-you md:px-5"
    >
      <Unplug aria-hidden className="size-4 shrink-0" />
      <span>
        Disconnected, showing events up to #{seq}. Reconnecting automatically.
        {isLong && (
          <>
            {' '}
            If the server has stopped, run <code className="font-mono">amelia dashboard</code>: it
            starts one and opens its page.
          </>
        )}
      </span>
    </div>
  );
}
