import { cn } from '@/lib/cn';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentTitle, agentToken } from '@/ui/agent-token';
import { StatusDot } from '@/ui/status-dot';
import { statusTones } from '@/ui/tones';
import type { StageState } from './stage-state';

type StageChipProps = {
  node: string;
  state: StageState;
  canBreak: boolean;
  onShow: () => void;
  onBreak: () => void;
  className?: string;
};

/** A stage: a press shows its last visit, the dot at its side sets a breakpoint. */
export function StageChip({ node, state, canBreak, onShow, onBreak, className }: StageChipProps) {
  const { tone, visits, isActive, isLive, hasBreakpoint, agent, words } = state;
  return (
    <div
      role="group"
      aria-label={node}
      className={cn(
        'group relative flex h-8 items-center rounded-md border bg-panel text-xs shadow-low',
        tone === null && 'border-line border-dashed text-subtle',
        tone && statusTones[tone].soft,
        tone && statusTones[tone].text,
        tone && (isActive ? 'border-current' : 'border-current/35'),
        className,
      )}
      onContextMenu={(event) => {
        if (!canBreak) return;
        event.preventDefault();
        onBreak();
      }}
    >
      {isLive && (
        <span
          aria-hidden
          className="pointer-events-none absolute -inset-1 animate-pulse-soft rounded-lg border-2 border-running/40"
        />
      )}
      {(canBreak || hasBreakpoint) && (
        <button
          type="button"
          aria-pressed={hasBreakpoint}
          aria-label={
            hasBreakpoint ? `Remove breakpoint before ${node}` : `Add breakpoint before ${node}`
          }
          title={
            hasBreakpoint ? `Remove breakpoint before ${node}` : `Add breakpoint before ${node}`
          }
          disabled={!canBreak}
          onClick={onBreak}
          className="absolute -left-2 flex size-4 items-center justify-center rounded-full focus-visible:outline-offset-0"
        >
          <span
            className={cn(
              'size-2.5 rounded-full border border-control bg-panel opacity-0 group-focus-within:opacity-100 group-hover:opacity-100',
              hasBreakpoint && 'border-danger bg-danger opacity-100',
            )}
          />
        </button>
      )}
      <button
        type="button"
        onClick={onShow}
        disabled={visits === 0}
        title={agent ? `${words}; ${agentTitle(agent)}` : words}
        className="flex h-full min-w-0 flex-1 items-center gap-1.5 rounded-md px-2 font-medium disabled:cursor-default"
      >
        {agent && (
          <span aria-hidden className="flex">
            <AgentAvatar agent={agentToken(agent)} name={agent} size="xs" />
          </span>
        )}
        <span className={cn('truncate', tone && !isActive && 'text-fg')}>{node}</span>
        {(visits > 1 || isActive) && (
          <span className="ml-auto flex items-center gap-1.5">
            {visits > 1 && <span className="tabular text-2xs">×{visits}</span>}
            {isActive && tone && <StatusDot status={tone} live={isLive} />}
          </span>
        )}
        <span className="sr-only">{words.slice(node.length)}</span>
      </button>
    </div>
  );
}
