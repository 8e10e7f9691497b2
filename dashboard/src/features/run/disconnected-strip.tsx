import { Unplug } from 'lucide-react';

type DisconnectedStripProps = { seq: number };

export function DisconnectedStrip({ seq }: DisconnectedStripProps) {
  return (
    <div
      role="status"
      className="flex min-h-8 shrink-0 items-center gap-2 border-b border-line bg-needs-you-soft px-3 text-xs text-needs-you md:px-5"
    >
      <Unplug aria-hidden className="size-4 shrink-0" />
      Disconnected, showing events up to #{seq}. Reconnecting automatically.
    </div>
  );
}
