import {
  Bot,
  CircleDot,
  Clock,
  Merge,
  Repeat,
  Sparkles,
  Split,
  User,
  Waypoints,
  Wrench,
} from 'lucide-react';

type NodeChipProps = {
  name: string;
  kind: string;
  /** Its agent, tool or pattern. */
  worker: string | null;
};

const icons: Record<string, typeof Bot> = {
  agent: Bot,
  tool: Wrench,
  condition: Split,
  human: User,
  parallel: Waypoints,
  join: Merge,
  pattern: Sparkles,
  map: Repeat,
  wait: Clock,
};

/** A node of a workflow that is not running. */
export function NodeChip({ name, kind, worker }: NodeChipProps) {
  const Icon = icons[kind] ?? CircleDot;
  const words = [kind, worker].filter(Boolean).join(' ');
  return (
    <div
      title={words === '' ? name : `${name}: ${words}`}
      className="flex size-full items-center gap-1.5 rounded-md border border-line-strong bg-panel px-2 text-xs font-medium shadow-low"
    >
      <Icon aria-hidden className="size-3.5 shrink-0 text-subtle" />
      <span className="truncate">{name}</span>
      {words !== '' && <span className="sr-only">, {words}</span>}
    </div>
  );
}
