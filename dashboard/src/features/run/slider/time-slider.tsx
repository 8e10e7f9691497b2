import { ChevronFirst, ChevronLast } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { cn } from '@/lib/cn';
import { formatClock } from '@/lib/format';
import { markBeside, type SliderMark, sliderMarks, thinned } from '@/model/run/marks';
import type { RunLog } from '@/model/run/run-log';
import { IconButton } from '@/ui/icon-button';
import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import { SliderMarks } from './slider-marks';

type TimeSliderProps = {
  log: RunLog;
  checkpoints: readonly CheckpointSummary[];
  at: number | null;
  onSeek: (at: number | null) => void;
};

/** So many marks fit on it. */
const PLACES = 160;

export function TimeSlider({ log, checkpoints, at, onSeek }: TimeSliderProps) {
  const track = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<number | null>(null);
  const isDragged = useRef(false);
  const end = log.lastSeq;
  const { marks } = log.facts;
  const count = marks.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: marks are only added.
  const all = useMemo(() => sliderMarks(marks, checkpoints), [marks, count, checkpoints]);
  // While events arrive the marks move by less than can be seen: they are placed anew now and then.
  const drawnEnd = at === null ? end - (end % Math.max(1, Math.floor(end / 500))) : end;
  const shown = useMemo(() => thinned(all, drawnEnd, PLACES), [all, drawnEnd]);
  const value = at === null ? end : Math.min(at, end);

  const seek = (seq: number) => {
    const next = Math.max(1, Math.min(Math.round(seq), end));
    onSeek(next >= end ? null : next);
  };
  const seqAt = (x: number) => {
    const box = track.current?.getBoundingClientRect();
    if (!box || box.width === 0) return end;
    return Math.max(1, Math.min(end, Math.round(((x - box.left) / box.width) * end)));
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    isDragged.current = true;
    seek(seqAt(event.clientX));
  };
  const onPointerMove = (event: PointerEvent) => {
    const seq = seqAt(event.clientX);
    setHover(seq);
    if (isDragged.current) seek(seq);
  };
  const beside = (direction: 1 | -1) => {
    const mark = markBeside(all, value, direction);
    if (mark) seek(mark.seq);
    else onSeek(direction === 1 ? null : 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, () => void> = {
      ArrowLeft: () => seek(value - 1),
      ArrowDown: () => seek(value - 1),
      ArrowRight: () => seek(value + 1),
      ArrowUp: () => seek(value + 1),
      PageDown: () => beside(-1),
      PageUp: () => beside(1),
      Home: () => seek(1),
      End: () => onSeek(null),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  if (end === 0) return null;
  const ratio = value / end;
  return (
    <section
      aria-label="Time"
      className="flex h-11 shrink-0 items-center gap-1.5 border-t border-line bg-panel px-3 md:px-4"
    >
      <IconButton
        aria-label="Previous mark"
        size="sm"
        icon={<ChevronFirst />}
        disabled={value <= 1}
        onClick={() => beside(-1)}
      />
      <div
        ref={track}
        role="slider"
        tabIndex={0}
        aria-label="Moment of the run that is shown"
        aria-valuemin={1}
        aria-valuemax={end}
        aria-valuenow={value}
        aria-valuetext={at === null ? 'now' : `event ${value}, ${clockAt(log, value)}`}
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
            at === null ? 'bg-control' : 'bg-accent',
          )}
          style={{ width: `${ratio * 100}%` }}
        />
        <SliderMarks marks={shown} end={drawnEnd} />
        <span
          className={cn(
            'absolute top-1/2 size-3.5 -translate-x-1/2 -translate-y-1/2 rounded-full border-2 bg-panel shadow-low',
            at === null ? 'border-control' : 'border-accent',
          )}
          style={{ left: `${ratio * 100}%` }}
        />
        {hover !== null && <HoverLabel log={log} seq={hover} marks={shown} end={end} />}
      </div>
      <IconButton
        aria-label="Next mark"
        size="sm"
        icon={<ChevronLast />}
        disabled={at === null}
        onClick={() => beside(1)}
      />
      <span className="tabular w-32 shrink-0 text-right font-mono text-2xs text-muted max-md:w-26">
        {at === null ? `now · #${end}` : `#${value} · ${clockAt(log, value)}`}
      </span>
    </section>
  );
}

type HoverLabelProps = { log: RunLog; seq: number; marks: readonly SliderMark[]; end: number };

function HoverLabel({ log, seq, marks, end }: HoverLabelProps) {
  const reach = Math.max(1, end / 150);
  const near = marks
    .filter((mark) => Math.abs(mark.seq - seq) <= reach)
    .sort((a, b) => Math.abs(a.seq - seq) - Math.abs(b.seq - seq));
  const shown = near[0]?.seq ?? seq;
  return (
    <span
      aria-hidden
      className="pointer-events-none absolute bottom-full z-10 mb-1 max-w-72 -translate-x-1/2 truncate rounded-md bg-inverse px-2 py-1 text-2xs text-inverse-fg shadow-mid"
      style={{ left: `clamp(5rem, ${(shown / end) * 100}%, calc(100% - 5rem))` }}
    >
      {near[0] && `${near[0].label} · `}#{shown} {clockAt(log, shown)}
    </span>
  );
}

function clockAt(log: RunLog, seq: number): string {
  const event = log.events[log.indexAfter(seq) - 1];
  return event ? formatClock(event.at) : '';
}
