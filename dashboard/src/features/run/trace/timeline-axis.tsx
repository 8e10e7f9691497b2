import { type RefObject, useRef } from 'react';
import { formatDuration } from '@/lib/format';
import { useMedia } from '@/lib/use-media';
import { type Span, ticksOf } from '@/model/trace/timeline';
import type { TimelineZoom } from './use-timeline-zoom';

type TimelineAxisProps = { ref: RefObject<HTMLDivElement | null>; zoom: TimelineZoom };

/** The axis of time: dragged it moves, arrow keys move and zoom it. */
export function TimelineAxis({ ref, zoom }: TimelineAxisProps) {
  const { span, whole } = zoom;
  const isNarrow = !useMedia('(min-width: 768px)');
  const drag = useRef<{ x: number; span: Span } | null>(null);
  return (
    <div
      ref={ref}
      role="slider"
      tabIndex={0}
      aria-label="Visible time range"
      aria-valuemin={0}
      aria-valuemax={Math.round(whole.to - whole.from)}
      aria-valuenow={Math.round(span.from - whole.from)}
      aria-valuetext={`from ${formatDuration(span.from - whole.from)} to ${formatDuration(span.to - whole.from)}`}
      className="relative h-full cursor-grab touch-none overflow-hidden active:cursor-grabbing"
      onKeyDown={(event) => {
        if (event.key === '+' || event.key === 'ArrowUp') zoom.by(0.7);
        else if (event.key === '-' || event.key === 'ArrowDown') zoom.by(1.4);
        else if (event.key === 'ArrowLeft') zoom.pan(-0.2);
        else if (event.key === 'ArrowRight') zoom.pan(0.2);
        else return;
        event.preventDefault();
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: event.clientX, span };
      }}
      onPointerMove={(event) => {
        if (!drag.current || !zoom.isZoomed) return;
        const by = (drag.current.x - event.clientX) / (event.currentTarget.clientWidth || 1);
        zoom.pan(by, drag.current.span);
      }}
      onPointerUp={() => {
        drag.current = null;
      }}
    >
      {ticksOf(span, whole.from, isNarrow ? 2 : 4).map((tick) => {
        const place = (whole.from + tick - span.from) / (span.to - span.from);
        return (
          <span
            key={tick}
            className="tabular absolute inset-y-0 flex items-center whitespace-nowrap border-l border-line pl-1 font-mono text-2xs text-subtle"
            style={{ left: `${place * 100}%` }}
          >
            {place < 0.86 && formatDuration(tick)}
          </span>
        );
      })}
    </div>
  );
}
