import { type PointerEvent, useRef, useState } from 'react';
import { cn } from '@/lib/cn';
import type { SliderMark } from '@/model/run/marks';
import type { RunLog } from '@/model/run/run-log';
import { clockAt } from './clock-at';
import { HoverLabel } from './hover-label';
import { type SliderMoves, sliderKeys } from './slider-keys';
import { SliderMarks } from './slider-marks';

type SliderTrackProps = {
  log: RunLog;
  marks: readonly SliderMark[];
  /** The last event when the marks were placed. */
  marksEnd: number;
  /** The event that is shown. */
  value: number;
  isNow: boolean;
  moves: SliderMoves;
};

/** The line with its marks and the handle: dragged, or moved by keys. */
export function SliderTrack({ log, marks, marksEnd, value, isNow, moves }: SliderTrackProps) {
  const track = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<number | null>(null);
  const isDragged = useRef(false);
  const onKeyDown = sliderKeys(value, moves);
  const end = log.lastSeq;
  const left = `${(value / end) * 100}%`;

  const seqAt = (x: number) => {
    const box = track.current?.getBoundingClientRect();
    if (!box || box.width === 0) return end;
    return Math.max(1, Math.min(end, Math.round(((x - box.left) / box.width) * end)));
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    isDragged.current = true;
    moves.seek(seqAt(event.clientX));
  };
  const onPointerMove = (event: PointerEvent) => {
    const seq = seqAt(event.clientX);
    setHover(seq);
    if (isDragged.current) moves.seek(seq);
  };
  return (
    <div
      ref={track}
      role="slider"
      tabIndex={0}
      aria-label="Position in the run"
      aria-valuemin={1}
      aria-valuemax={end}
      aria-valuenow={value}
      aria-valuetext={isNow ? 'now' : `event ${value}, ${clockAt(log, value)}`}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        isDragged.current = false;
      }}
      onPointerLeave={() => setHover(null)}
      onKeyDown={onKeyDown}
      className="relative h-8 min-w-0 flex-1 cursor-pointer touch-none rounded-md focus-visible:outline-offset-0"
    >
      <span className="absolute inset-x-0 top-1/2 h-1 -translate-y-1/2 rounded-full bg-pressed" />
      <span
        className={cn(
          'absolute top-1/2 left-0 h-1 -translate-y-1/2 rounded-full',
          isNow ? 'bg-control' : 'bg-accent',
        )}
        style={{ width: left }}
      />
      <SliderMarks marks={marks} end={marksEnd} />
      <span
        className={cn(
          'absolute top-1/2 size-3.5 -translate-x-1/2 -translate-y-1/2 rounded-full border-2 bg-panel shadow-low',
          isNow ? 'border-control' : 'border-accent',
        )}
        style={{ left }}
      />
      {hover !== null && <HoverLabel log={log} seq={hover} marks={marks} end={end} />}
    </div>
  );
}
