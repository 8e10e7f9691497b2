import { ChevronFirst, ChevronLast } from 'lucide-react';
import { useMemo } from 'react';
import { markBeside, sliderMarks, thinned } from '@/model/run/marks';
import type { RunLog } from '@/model/run/run-log';
import { IconButton } from '@/ui/icon-button';
import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import { clockAt } from './clock-at';
import { SliderTrack } from './slider-track';

type TimeSliderProps = {
  log: RunLog;
  checkpoints: readonly CheckpointSummary[];
  at: number | null;
  onSeek: (at: number | null) => void;
};

/** So many marks fit on it. */
const MAX_MARKS = 160;

export function TimeSlider({ log, checkpoints, at, onSeek }: TimeSliderProps) {
  const end = log.lastSeq;
  const { marks } = log.facts;
  const count = marks.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: marks are only added.
  const all = useMemo(() => sliderMarks(marks, checkpoints), [marks, count, checkpoints]);
  // While events arrive the marks move by less than can be seen: they are placed anew now and then.
  const marksEnd = at === null ? end - (end % Math.max(1, Math.floor(end / 500))) : end;
  const shown = useMemo(() => thinned(all, marksEnd, MAX_MARKS), [all, marksEnd]);
  const value = at === null ? end : Math.min(at, end);

  const seek = (seq: number) => {
    const next = Math.max(1, Math.min(Math.round(seq), end));
    onSeek(next >= end ? null : next);
  };
  const toNow = () => onSeek(null);
  const toMark = (direction: 1 | -1) => {
    const mark = markBeside(all, value, direction);
    if (mark) seek(mark.seq);
    else onSeek(direction === 1 ? null : 1);
  };
  if (end === 0) return null;
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
        onClick={() => toMark(-1)}
      />
      <SliderTrack
        log={log}
        marks={shown}
        marksEnd={marksEnd}
        value={value}
        isNow={at === null}
        moves={{ seek, toMark, toNow }}
      />
      <IconButton
        aria-label="Next mark"
        size="sm"
        icon={<ChevronLast />}
        disabled={at === null}
        onClick={() => toMark(1)}
      />
      <span className="tabular w-32 shrink-0 text-right font-mono text-2xs text-muted max-md:w-26">
        {at === null ? `now · #${end}` : `#${value} · ${clockAt(log, value)}`}
      </span>
    </section>
  );
}
