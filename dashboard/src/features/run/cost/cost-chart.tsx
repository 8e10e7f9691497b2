import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { formatClock, formatMoney, formatTokens, plural } from '@/lib/format';
import { useTheme } from '@/lib/theme';
import type { CostPoint } from '@/model/usage/cost';

type CostChartProps = { points: CostPoint[] };

const HEIGHT = 190;

/** Tokens and, where it is known, money, as they grew. Load it lazily. */
export default function CostChart({ points }: CostChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme((state) => state.resolved);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a canvas takes its colours when it is made.
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const chart = new uPlot(optionsOf(element, points), dataOf(points), element);
    const watcher = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [points, theme]);

  const last = points.at(-1);
  return (
    <figure>
      <div
        ref={place}
        aria-hidden
        className="min-h-48 [&_.u-legend]:text-2xs! [&_.u-legend]:text-muted [&_.u-legend_th]:font-medium! [&_.uplot]:font-sans!"
      />
      <figcaption className="sr-only">
        {last &&
          `${plural(points.length, 'turn')} used ${formatTokens(last.total.tokens)} tokens in total.`}
      </figcaption>
    </figure>
  );
}

const hasMoney = (points: CostPoint[]) => (points.at(-1)?.total.usd ?? 0) > 0;

function dataOf(points: CostPoint[]): uPlot.AlignedData {
  const times = points.map(({ at }) => Date.parse(at) / 1_000);
  const tokens = points.map(({ total }) => total.tokens);
  return hasMoney(points) ? [times, tokens, points.map(({ total }) => total.usd)] : [times, tokens];
}

function optionsOf(element: HTMLElement, points: CostPoint[]): uPlot.Options {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: token('--muted'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: token('--line'), width: 1 },
    ticks: { stroke: token('--line'), width: 1 },
  };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const line = (label: string, colour: string, scale: string, show: (value: number) => string) => ({
    label,
    scale,
    stroke: token(colour),
    width: 2,
    ...(stepped ? { paths: stepped } : {}),
    points: { show: points.length < 60, size: 5 },
    value: (_: uPlot, value: number | null) => (value === null ? '' : show(value)),
  });
  const money = hasMoney(points);
  const moneyAxis: uPlot.Axis = {
    ...axis,
    scale: 'usd',
    side: 1,
    size: 60,
    grid: { show: false },
    values: (_, values) => values.map(formatMoney),
  };
  return {
    width: element.clientWidth || 400,
    height: HEIGHT,
    cursor: { y: false, points: { size: 7 } },
    legend: { live: true },
    hooks: { ready: [sayTheLast], setCursor: [sayTheLast] },
    scales: { tokens: { range: fromZero }, usd: { range: fromZero } },
    series: [
      { label: 'At', value: (_, value) => (value === null ? '' : formatClock(value * 1_000)) },
      line('Tokens', '--accent', 'tokens', formatTokens),
      ...(money ? [line('Cost', '--status-done', 'usd', formatMoney)] : []),
    ],
    axes: [
      {
        ...axis,
        values: (_, values) => values.map((value) => formatClock(value * 1_000)),
        space: 70,
      },
      { ...axis, scale: 'tokens', size: 52, values: (_, values) => values.map(formatTokens) },
      ...(money ? [moneyAxis] : []),
    ],
  };
}

/** Without a pointer on the chart, the legend is about the last moment: it is never empty. */
function sayTheLast(chart: uPlot): void {
  if (chart.cursor.idx == null) chart.setLegend({ idx: chart.data[0].length - 1 }, false);
}

const fromZero = (_: uPlot, _low: number, high: number): [number, number] => [0, high * 1.08 || 1];
