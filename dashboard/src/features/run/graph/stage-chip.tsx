import { cn } from '@/lib/cn';
import { StatusDot } from '@/ui/status-dot';
import { statusTones } from '@/ui/tones';
import { type StageState, stageWords } from './stage-state';

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
  const { tone, visits, isLive, hasBreakpoint } = state;
  const status = tone === 'visited' || tone === null ? null : tone;
  return (
    <div
      role="group"
      aria-label={node}
      className={cn(
        'group relative flex h-8 items-center rounded-md border bg-panel text-xs shadow-low',
        tone === null && 'border-line border-dashed text-subtle',
        tone === 'visited' && 'border-line-strong text-fg',
        status && statusTones[status].soft,
        status && statusTones[status].text,
        status && 'border-current',
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
        title={stageWords(node, state)}
        className="flex h-full min-w-0 flex-1 items-center gap-1.5 rounded-md px-2.5 font-medium disabled:cursor-default"
      >
        {status && <StatusDot status={status} live={isLive} />}
        <span className="truncate">{node}</span>
        {visits > 1 && <span className="tabular ml-auto text-2xs">×{visits}</span>}
        <span className="sr-only">{stageWords(node, state).slice(node.length)}</span>
      </button>
    </div>
  );
}
