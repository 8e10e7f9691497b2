import type { SliderMark } from '@/model/run/marks';
import type { RunLog } from '@/model/run/run-log';
import { clockAt } from './clock-at';

type HoverLabelProps = { log: RunLog; seq: number; marks: readonly SliderMark[]; end: number };

/** What the pointer is at: the nearest mark, or the event itself. */
export function HoverLabel({ log, seq, marks, end }: HoverLabelProps) {
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
