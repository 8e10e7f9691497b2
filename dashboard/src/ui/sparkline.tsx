import { cn } from '@/lib/cn';

type SparklineProps = {
  /** What it shows, in words: it is a picture for those who see it. */
  label: string;
  values: readonly number[];
  width?: number;
  height?: number;
  className?: string;
};

export function Sparkline(props: SparklineProps) {
  const { label, values, width = 96, height = 24, className } = props;
  const most = Math.max(...values, 0);
  const x = (index: number) =>
    (values.length < 2 ? 0 : (index / (values.length - 1)) * (width - 2)) + 1;
  const y = (value: number) => height - 2 - (most > 0 ? (value / most) * (height - 4) : 0);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
  const lastX = x(values.length - 1).toFixed(1);
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className={cn('shrink-0 overflow-visible text-accent-text', className)}
    >
      {points.length > 1 && (
        <>
          <polygon
            points={`1,${height - 1} ${points.join(' ')} ${lastX},${height - 1}`}
            fill="currentColor"
            opacity="0.12"
          />
          <polyline
            points={points.join(' ')}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeLinejoin="round"
            strokeLinecap="round"
          />
        </>
      )}
    </svg>
  );
}
