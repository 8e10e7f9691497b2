import { cn } from '@/lib/cn';
import { barIn, type Span } from '@/model/timeline';
import type { Outcome, TraceNode } from '@/model/trace';

type TimelineBarProps = { node: TraceNode; span: Span; now: number; onSeek: () => void };

const colours: Record<Outcome, string> = {
  good: 'bg-done',
  bad: 'bg-failed',
  waits: 'bg-needs-you',
  open: 'bg-running animate-pulse-soft',
};

export function TimelineBar({ node, span, now, onSeek }: TimelineBarProps) {
  const bar = barIn(span, node.start, node.end ?? now);
  const isSmall = node.kind === 'call' || node.kind === 'turn';
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
            isSmall ? 'h-2' : 'h-3.5',
            node.kind === 'run' ? 'bg-control' : colours[node.outcome],
          )}
          style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%` }}
        />
      )}
    </span>
  );
}
