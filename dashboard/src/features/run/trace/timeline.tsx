import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { formatClock, formatDuration, formatMoney, formatTokens } from '@/lib/format';
import { useMedia } from '@/lib/use-media';
import { useNow } from '@/lib/use-now';
import { panned, type Span, ticksOf, zoomed } from '@/model/trace/timeline';
import type { TraceNode } from '@/model/trace/trace';
import { priceOf, timesOf } from '@/model/trace/trace-rows';
import { IconButton } from '@/ui/icon-button';
import { isOnlyWaiting, Took } from '../took';
import { TimelineBar } from './timeline-bar';
import { TraceRows } from './trace-rows';

type TimelineProps = { root: TraceNode; onSeek: (seq: number) => void };

const grid = 'grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)_6.25rem] items-center gap-x-2 px-3';

/** One bar for each part on one axis of time: colour is the outcome, overlap is work side by side. */
export function Timeline({ root, onSeek }: TimelineProps) {
  const now = useNow(1_000);
  const whole: Span = { from: root.start, to: Math.max(root.end ?? now, root.start + 1) };
  const [chosen, setChosen] = useState<Span | null>(null);
  const span = chosen ?? whole;
  const isNarrow = !useMedia('(min-width: 768px)');
  const [about, setAbout] = useState<TraceNode | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; span: Span } | null>(null);

  const zoom = (factor: number, around = 0.5) => {
    const next = zoomed(span, whole, factor, around);
    setChosen(next.to - next.from >= whole.to - whole.from ? null : next);
  };
  const width = () => axis.current?.clientWidth ?? 1;
  const onWheel = useEffectEvent((event: WheelEvent) => {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    const box = axis.current?.getBoundingClientRect();
    if (isZoom && box) {
      const around = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      zoom(Math.exp(event.deltaY / 240), around);
    } else setChosen(panned(span, whole, event.deltaX / width()));
  });
  useEffect(() => {
    const element = frame.current;
    const listen = (event: WheelEvent) => onWheel(event);
    element?.addEventListener('wheel', listen, { passive: false });
    return () => element?.removeEventListener('wheel', listen);
  }, []);

  return (
    <div ref={frame} className="flex h-full flex-col">
      <div className={`${grid} h-8 shrink-0 border-b border-line`}>
        <span className="flex">
          <IconButton aria-label="Zoom in" size="sm" icon={<ZoomIn />} onClick={() => zoom(0.5)} />
          <IconButton
            aria-label="Zoom out"
            size="sm"
            icon={<ZoomOut />}
            disabled={chosen === null}
            onClick={() => zoom(2)}
          />
          <IconButton
            aria-label="Show all of it"
            size="sm"
            icon={<Maximize2 />}
            disabled={chosen === null}
            onClick={() => setChosen(null)}
          />
        </span>
        <div
          ref={axis}
          role="slider"
          tabIndex={0}
          aria-label="Part of the time that is shown"
          aria-valuemin={0}
          aria-valuemax={Math.round(whole.to - whole.from)}
          aria-valuenow={Math.round(span.from - whole.from)}
          aria-valuetext={`from ${formatDuration(span.from - whole.from)} to ${formatDuration(span.to - whole.from)}`}
          className="relative h-full cursor-grab touch-none overflow-hidden active:cursor-grabbing"
          onKeyDown={(event) => {
            if (event.key === '+' || event.key === 'ArrowUp') zoom(0.7);
            else if (event.key === '-' || event.key === 'ArrowDown') zoom(1.4);
            else if (event.key === 'ArrowLeft') setChosen(panned(span, whole, -0.2));
            else if (event.key === 'ArrowRight') setChosen(panned(span, whole, 0.2));
            else return;
            event.preventDefault();
          }}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            drag.current = { x: event.clientX, span };
          }}
          onPointerMove={(event) => {
            if (!drag.current || chosen === null) return;
            const by = (drag.current.x - event.clientX) / width();
            setChosen(panned(drag.current.span, whole, by));
          }}
          onPointerUp={() => {
            drag.current = null;
          }}
        >
          {ticksOf(span, whole.from, isNarrow ? 2 : 4).map((tick) => (
            <span
              key={tick}
              className="tabular absolute inset-y-0 flex items-center whitespace-nowrap border-l border-line pl-1 font-mono text-2xs text-subtle"
              style={{
                left: `${((whole.from + tick - span.from) / (span.to - span.from)) * 100}%`,
              }}
            >
              {(whole.from + tick - span.from) / (span.to - span.from) < 0.86 &&
                formatDuration(tick)}
            </span>
          ))}
        </div>
        <span aria-hidden className="text-right text-2xs text-subtle">
          time, cost
        </span>
      </div>
      <TraceRows
        root={root}
        label="Parts of the run on an axis of time"
        grid={grid}
        onPoint={setAbout}
        cells={(node) => (
          <>
            <TimelineBar node={node} span={span} now={now} onSeek={() => onSeek(node.seq)} />
            <span className="tabular flex justify-end gap-2 truncate text-right font-mono text-2xs text-muted">
              <Took {...timesOf(node, now)} />
              {node.spend.calls > 0 && <span>{price(node)}</span>}
            </span>
          </>
        )}
      />
      <p className="h-7 shrink-0 truncate border-t border-line px-3 text-2xs leading-7 text-muted">
        {about
          ? wordsOf(about, now)
          : 'Point at a bar for more. Ctrl and the wheel zoom, the axis can be dragged.'}
      </p>
    </div>
  );
}

function price({ spend }: TraceNode): string {
  const usd = priceOf(spend);
  return usd === null ? '?' : formatMoney(usd);
}

function wordsOf(node: TraceNode, now: number): string {
  const parts = [
    node.agent && node.agent !== node.label ? `${node.agent}: ${node.label}` : node.label,
    `#${node.seq}`,
    formatClock(node.start),
  ];
  const { work, waited } = timesOf(node, now);
  if (!isOnlyWaiting({ work, waited })) parts.push(formatDuration(work));
  if (waited > 0) parts.push(`waited for a person ${formatDuration(waited)}`);
  if (node.spend.tokens > 0) parts.push(`${formatTokens(node.spend.tokens)} tokens`);
  if (node.spend.calls > 0) parts.push(formatMoney(priceOf(node.spend)));
  if (node.errors > 0) parts.push(`${node.errors} failed`);
  return parts.join(' · ');
}
