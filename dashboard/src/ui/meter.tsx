import { cn } from '@/lib/cn';

type MeterProps = {
  /** What is measured, for screen readers. */
  label: string;
  value: number;
  limit: number;
  /** `auto` warns from 80% and alarms from 100%. */
  tone?: 'auto' | 'neutral' | 'running' | 'done' | 'failed' | 'needs-you';
  /** How the value reads; `value of limit` if left out. */
  text?: string;
  className?: string;
};

const fills = {
  neutral: 'bg-control',
  accent: 'bg-accent',
  running: 'bg-running',
  done: 'bg-done',
  failed: 'bg-failed',
  'needs-you': 'bg-needs-you-fill',
};

export function Meter({ label, value, limit, tone = 'auto', text, className }: MeterProps) {
  const ratio = limit > 0 ? Math.min(Math.max(value / limit, 0), 1) : 0;
  const shown = tone === 'auto' ? toneOf(limit > 0 ? value / limit : 0) : tone;
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(value, limit)}
      aria-valuetext={text ?? `${value} of ${limit}`}
      className={cn('h-1.5 w-full overflow-hidden rounded-full bg-pressed', className)}
    >
      <div
        className={cn('h-full rounded-full transition-[width] duration-300', fills[shown])}
        style={{ width: `${ratio * 100}%` }}
      />
    </div>
  );
}

function toneOf(ratio: number): 'accent' | 'needs-you' | 'failed' {
  if (ratio >= 1) return 'failed';
  return ratio >= 0.8 ? 'needs-you' : 'accent';
}
