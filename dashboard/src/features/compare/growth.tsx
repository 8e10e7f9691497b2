import { formatPercent } from '@/lib/format';

type GrowthProps = { by: number | null };

/** How much more the right side is: `+25%`, `−40%`, `3.2×`. */
export function Growth({ by }: GrowthProps) {
  if (by === null || by === 0) return null;
  return <span className="text-xs whitespace-nowrap text-muted">{words(by)}</span>;
}

function words(by: number): string {
  if (by >= 1) return `${Number((by + 1).toFixed(1))}× as much`;
  const percent = formatPercent(Math.abs(by));
  if (percent === '0%') return 'nearly the same';
  return by > 0 ? `${percent} more` : `${percent} less`;
}
