import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { useRef, useState } from 'react';
import { formatClock, formatDuration, formatMoney, formatTokens } from '@/lib/format';
import { useNow } from '@/lib/use-now';
import type { Span } from '@/model/trace/timeline';
import type { TraceNode } from '@/model/trace/trace-node';
import { priceOf, timesOf } from '@/model/trace/trace-rows';
import { IconButton } from '@/ui/icon-button';
import { isOnlyWaiting, WorkTime } from '../work-time';
import { TimelineAxis } from './timeline-axis';
import { TimelineBar } from './timeline-bar';
import { TraceRows } from './trace-rows';
import { outcomeWord } from './trace-status';
import type { OpenTrace } from './use-open-trace';
import { useTimelineZoom, useWheelZoom } from './use-timeline-zoom';

type TimelineProps = { root: TraceNode; trace: OpenTrace; onSeek: (seq: number) => void };

const grid =
  'grid grid-cols-[minmax(0,11rem)_minmax(0,1fr)_6.25rem] items-center gap-x-2 px-3 max-md:grid-cols-[minmax(0,9.5rem)_minmax(0,1fr)_4rem] max-md:px-2';

/** One bar for each part on one axis of time: colour is the outcome, overlap is work side by side. */
export function Timeline({ root, trace, onSeek }: TimelineProps) {
  const now = useNow(1_000);
  const whole: Span = { from: root.start, to: Math.max(root.end ?? now, root.start + 1) };
  const zoom = useTimelineZoom(whole);
  const { span, isZoomed } = zoom;
  const [about, setAbout] = useState<TraceNode | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  useWheelZoom(frame, axis, zoom);

  return (
    <div ref={frame} className="flex h-full flex-col">
      <div className={`${grid} h-8 shrink-0 border-b border-line`}>
        <span className="flex">
          <IconButton
            aria-label="Zoom in"
            size="sm"
            icon={<ZoomIn />}
            onClick={() => zoom.by(0.5)}
          />
          <IconButton
            aria-label="Zoom out"
            size="sm"
            icon={<ZoomOut />}
            disabled={!isZoomed}
            onClick={() => zoom.by(2)}
          />
          <IconButton
            aria-label="Fit to window"
            size="sm"
            icon={<Maximize2 />}
            disabled={!isZoomed}
            onClick={zoom.reset}
          />
        </span>
        <TimelineAxis ref={axis} zoom={zoom} />
        <span aria-hidden className="text-right text-2xs text-subtle">
          time, cost
        </span>
      </div>
      <TraceRows
        trace={trace}
        label="Timeline of the run"
        grid={grid}
        isCompact
        onPoint={setAbout}
        cells={(node) => (
          <>
            <TimelineBar node={node} span={span} now={now} onSeek={() => onSeek(node.seq)} />
            <span className="tabular flex justify-end gap-2 truncate text-right font-mono text-2xs text-muted">
              <WorkTime {...timesOf(node, now)} />
              <Price node={node} />
            </span>
          </>
        )}
      />
      <p className="h-7 shrink-0 truncate border-t border-line px-3 text-2xs leading-7 text-muted">
        {about ? (
          wordsOf(about, now)
        ) : (
          <>
            <span className="max-md:hidden">
              Hover over a bar for details. Zoom with Ctrl and the mouse wheel; drag the axis to
              move it.
            </span>
            <span className="md:hidden">Tap a bar to see the run at that moment.</span>
          </>
        )}
      </p>
    </div>
  );
}

/** Nothing where it is not known: the words below the bars say so. */
function Price({ node: { spend } }: { node: TraceNode }) {
  const usd = priceOf(spend);
  return spend.calls > 0 && usd !== null && <span>{formatMoney(usd)}</span>;
}

function wordsOf(node: TraceNode, now: number): string {
  const parts = [
    node.agent && node.agent !== node.label ? `${node.agent}: ${node.label}` : node.label,
    `#${node.seq}`,
    formatClock(node.start),
    outcomeWord(node.outcome),
  ];
  const { work, waited } = timesOf(node, now);
  if (!isOnlyWaiting({ work, waited })) parts.push(formatDuration(work));
  if (waited > 0) parts.push(`waited for you ${formatDuration(waited)}`);
  if (node.spend.tokens > 0) parts.push(`${formatTokens(node.spend.tokens)} tokens`);
  if (node.spend.calls > 0) parts.push(formatMoney(priceOf(node.spend)));
  if (node.errors > 0) parts.push(`${node.errors} failed`);
  return parts.join(' · ');
}
