// How uPlot draws a `TimeChart`: stacked bars are cumulative sums, the tallest drawn first.

import uPlot from 'uplot';

export type ChartSeries = {
  name: string;
  /** The name of a token: `--chart-1`. */
  colour: string;
  values: readonly (number | null)[];
};

export type ChartShape = {
  kind: 'bars' | 'line';
  labels: readonly string[];
  series: readonly ChartSeries[];
  format: (value: number) => string;
  /** The top of the scale, when it is known beforehand. */
  max?: number;
};

const token = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The columns of uPlot: the steps, then the series from the tallest to the lowest sum. */
export function columnsOf({ kind, labels, series }: ChartShape): uPlot.AlignedData {
  const steps = labels.map((_, index) => index);
  if (kind === 'line') return [steps, ...series.map(({ values }) => [...values])];
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)));
  }
  return [steps, ...sums.reverse()];
}

export function optionsOf(
  shape: ChartShape,
  size: { width: number; height: number },
  onCursor: (index: number | null) => void,
): uPlot.Options {
  const { kind, labels, series, format, max } = shape;
  const last = labels.length - 1;
  const axis = {
    stroke: token('--subtle'),
    font: `11px ${token('--font-sans') || 'sans-serif'}`,
    ticks: { show: false },
    border: { show: false },
  };
  const bars = uPlot.paths.bars?.({ size: [0.72, 44, 1], radius: 0 });
  const drawn = (kind === 'bars' ? [...series].reverse() : series).map((one): uPlot.Series => {
    const colour = token(one.colour);
    return kind === 'bars'
      ? { fill: colour, width: 0, paths: bars, points: { show: false } }
      : {
          stroke: colour,
          width: 1.75,
          spanGaps: true,
          points: { show: true, size: 5, fill: colour, stroke: colour },
        };
  });
  return {
    ...size,
    padding: [10, 8, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      x: false,
      drag: { x: false, y: false },
      points: { show: false },
    },
    scales: {
      x: { time: false, range: () => [-0.5, last + 0.5] },
      y: { range: (_, __, top) => [0, max ?? (top > 0 ? top * 1.06 : 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        gap: 8,
        size: 30,
        incrs: [1, 2, 3, 7, 14, 30, 60, 90, 180, 365],
        values: (_, at) => at.map((step) => labels[step] ?? ''),
      },
      {
        ...axis,
        grid: { stroke: token('--line'), width: 1 },
        space: 36,
        size: (plot, values) => widest(plot, values),
        values: (_, at) => at.map(format),
      },
    ],
    series: [{}, ...drawn],
    hooks: { setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)] },
  };
}

/** As much room as the longest number needs, so that nothing is cut and nothing is lost. */
function widest(plot: uPlot, values: string[] | null): number {
  const longest = Math.max(0, ...(values ?? []).map((value) => value.length));
  plot.ctx.save();
  plot.ctx.font = `${11 * devicePixelRatio}px sans-serif`;
  const width = plot.ctx.measureText('0'.repeat(longest)).width / devicePixelRatio;
  plot.ctx.restore();
  return Math.ceil(width) + 14;
}
