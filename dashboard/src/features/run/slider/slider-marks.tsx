import { memo } from 'react';
import { cn } from '@/lib/cn';
import type { SliderMark } from '@/model/run/marks';

const looks: Record<SliderMark['kind'], string> = {
  checkpoint: 'h-2 w-px bg-control/60',
  commit: 'h-3.5 w-0.75 rounded-full bg-done',
  asked: 'size-2 rotate-45 rounded-[1px] bg-needs-you',
  approved: 'size-2 rounded-full bg-done',
  rejected: 'size-2 rounded-full bg-needs-you',
  said: 'size-1.5 rounded-full bg-human',
  failed: 'h-4 w-0.75 rounded-full bg-failed',
  resumed: 'size-1.5 rounded-full bg-paused',
  ended: 'h-4 w-0.5 bg-fg',
};

type SliderMarksProps = { marks: readonly SliderMark[]; end: number };

export const SliderMarks = memo(function SliderMarks({ marks, end }: SliderMarksProps) {
  return marks.map((mark) => (
    <span
      key={mark.seq}
      aria-hidden
      className={cn('absolute top-1/2 -translate-x-1/2 -translate-y-1/2', looks[mark.kind])}
      style={{ left: `${(mark.seq / Math.max(end, 1)) * 100}%` }}
    />
  ));
});
