import { lazy, Suspense } from 'react';
import { Skeleton } from '@/ui/skeleton';
import type { TimeChartProps } from '@/ui/time-chart-plot';

const Plot = lazy(() => import('@/ui/time-chart-plot'));

/** Stacked bars or a line over named steps of time. The library for it is loaded when it is first shown. */
export function TimeChart(props: TimeChartProps) {
  return (
    <div style={{ height: props.height }}>
      <Suspense fallback={<Skeleton className="h-full" />}>
        <Plot {...props} />
      </Suspense>
    </div>
  );
}
