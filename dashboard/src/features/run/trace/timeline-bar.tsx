import { cn } from '@/lib/cn';
import { barIn, type Span } from '@/model/trace/timeline';
import type { Outcome, TraceNode } from '@/model/trace/trace-node';

type TimelineBarProps = { node: TraceNode; span: Span; now: number; onSeek: () => void };

const colours: Record<Outcome, string> = {
  good: 'bg-done',
  bad: 'bg-failed',
  waits: 'bg-needs-you',
  stopped: 'bg-cancelled',
  open: 'bg-running animate-pulse-soft',
};

export function TimelineBar({ node, span, now, onSeek }: TimelineBarProps) {
  const bar = barIn(span, node.start, node.end ?? now);
  const isSmall = node.kind === 'call' || node.kind === 'turn';
  const height = isSmall ? 'h-2' : 'h-3.5';
  return (
    <span className="relative h-full overflow-hidden">
      {bar && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Show the run as of #${node.seq}`}
          onClick={onSeek}
          className={cn(
            'absolute top-1/2 min-w-0.75 -translate-y-1/2 rounded-[3px]',
            height,
            node.kind === 'run' ? 'bg-control' : colours[node.outcome],
          )}
          style={placed(bar)}
        />
      )}
      {node.waits.map(({ from, to }) => {
        const wait = barIn(span, from, to ?? now);
        return (
          wait && (
            <span key={from} aria-hidden className={cn(hatched, height)} style={placed(wait)} />
          )
        );
      })}
    </span>
  );
}

/** No agent was at work: not a bar, only its outline. */
const hatched =
  'pointer-events-none absolute top-1/2 -translate-y-1/2 rounded-[3px] border border-needs-you bg-panel bg-[repeating-linear-gradient(135deg,var(--status-needs-you)_0_1px,transparent_1px_5px)]';

const placed = ({ left, width }: { left: number; width: number }) => ({
  left: `${left * 100}%`,
  width: `${width * 100}%`,
});
