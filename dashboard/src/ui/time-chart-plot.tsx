import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '@/lib/theme';
import { type ChartShape, columnsOf, optionsOf } from '@/ui/time-chart-options';

export type TimeChartProps = ChartShape & {
  /** What is drawn, for screen readers; the numbers belong in a table beside it. */
  label: string;
  height: number;
  /** What is said about one step: in the box that follows the pointer. */
  tip: (index: number) => ReactNode;
  /** The same in a sentence, read out when the keys move. */
  say: (index: number) => string;
};

export default function TimeChartPlot(props: TimeChartProps) {
  const { label, height, tip, say, ...shape } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const [isByKey, setByKey] = useState(false);
  const theme = useTheme((state) => state.resolved);
  const draw = useEffectEvent(
    (element: HTMLDivElement) =>
      new uPlot(
        optionsOf(shape, { width: element.clientWidth, height }, setAt),
        columnsOf(shape),
        element,
      ),
  );
  // What is drawn, as one value: a new array with the same numbers is no reason to draw again.
  const drawn = JSON.stringify([shape.kind, shape.labels, shape.series, shape.max, height]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `drawn` and `theme` say when to draw again.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const chart = draw(element);
    plot.current = chart;
    const resize = new ResizeObserver(() => {
      chart.setSize({ width: element.clientWidth, height: chart.height });
    });
    resize.observe(element);
    return () => {
      resize.disconnect();
      chart.destroy();
      plot.current = null;
      setAt(null);
    };
  }, [drawn, theme]);

  const move = (event: KeyboardEvent) => {
    const last = shape.labels.length - 1;
    const from = at ?? (event.key === 'ArrowLeft' ? last + 1 : -1);
    const steps: Record<string, number> = {
      ArrowLeft: Math.max(0, from - 1),
      ArrowRight: Math.min(last, from + 1),
      Home: 0,
      End: last,
    };
    const next = event.key === 'Escape' ? null : steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setByKey(true);
    setAt(next);
  };
  const place = at !== null && plot.current ? placeOf(plot.current, at) : null;
  return (
    <div
      role="group"
      aria-roledescription="chart"
      aria-label={`${label}. Use the arrow keys to move along it.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys walk along the chart.
      tabIndex={0}
      className="relative rounded-md"
      onKeyDown={move}
      onBlur={() => setAt(null)}
      onPointerMove={() => setByKey(false)}
    >
      <div ref={box} aria-hidden />
      {place && at !== null && at < shape.labels.length && (
        <>
          <div
            aria-hidden
            className="pointer-events-none absolute w-px bg-control/60"
            style={{ left: place.left, top: place.top, height: place.height }}
          />
          <div
            aria-hidden
            className="pointer-events-none absolute top-1 z-10 max-w-64 rounded-md border border-line bg-raised px-2.5 py-2 text-xs shadow-mid"
            style={
              place.isRight ? { right: place.width - place.left + 10 } : { left: place.left + 10 }
            }
          >
            {tip(at)}
          </div>
        </>
      )}
      <div role="status" className="sr-only">
        {isByKey && at !== null ? say(at) : ''}
      </div>
    </div>
  );
}

function placeOf(plot: uPlot, index: number) {
  const { over } = plot;
  const left = over.offsetLeft + plot.valToPos(index, 'x');
  return {
    left,
    top: over.offsetTop,
    height: over.clientHeight,
    width: plot.width,
    isRight: left > plot.width / 2,
  };
}
