import { formatMoney, formatTokens } from '@/lib/format';
import { seriesOf } from '@/model/usage/usage-series';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { EmptyState } from '@/ui/empty-state';
import { SegmentedControl } from '@/ui/segmented-control';
import { TimeChart } from '@/ui/time-chart';
import type { Usage } from '@/wire/Usage';
import { DayTable } from './day-table';
import { DayTip } from './day-tip';
import { formatDay } from './format-day';
import { Legend } from './legend';
import { colourTokens, outcomeColour, outcomeWord, shownName } from './names';
import type { UsageView } from './use-usage-view';

type SpentChartProps = { usage: Usage; view: UsageView };

const titles = { cost: 'Cost by day', tokens: 'Tokens by day', runs: 'Runs by day' };

export function SpentChart({ usage, view }: SpentChartProps) {
  const { measure, group, span, set } = view;
  const drawn = seriesOf(usage, span, { group, measure });
  const colour = colourTokens(usage, group, measure);
  const series = drawn.series.map((one) => ({
    ...one,
    name: measure === 'runs' ? outcomeWord(one.name) : shownName(one.name, group),
    colour: measure === 'runs' ? outcomeColour(one.name) : colour(one.name),
  }));
  const format =
    measure === 'cost' ? formatMoney : (value: number | null) => formatTokens(value ?? 0);
  const title = measure === 'runs' ? titles.runs : `${titles[measure]} and ${group}`;
  const isUnknown = series.length > 0 && series.every((one) => one.total === null);
  const shown = { days: drawn.days, series };
  return (
    <Card
      title={title}
      description="Days are in UTC. A run counts toward the day it was created."
      actions={
        <SegmentedControl
          label="Show as"
          value={view.view}
          onChange={(next) => set({ view: next === 'chart' ? null : next })}
          segments={[
            { value: 'chart', label: 'Chart' },
            { value: 'table', label: 'Table' },
          ]}
        />
      }
    >
      {view.view === 'table' ? (
        <section
          aria-label={title}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          className="scroll-quiet -mx-4 max-h-90 overflow-auto"
        >
          <DayTable caption={title} {...shown} format={format} />
        </section>
      ) : (
        <div className="flex flex-col gap-3">
          {isUnknown ? (
            <EmptyState
              className="h-65 py-0"
              title="Cost unknown"
              action={<Button onClick={() => set({ show: 'tokens' })}>Show tokens</Button>}
            >
              None of these models has a known price.
            </EmptyState>
          ) : (
            <TimeChart
              kind="bars"
              label={title}
              height={260}
              labels={drawn.days.map((day) => formatDay(day))}
              series={series}
              format={measure === 'cost' ? axisMoney : formatTokens}
              tip={(index) => <DayTip {...shown} index={index} format={format} />}
              say={(index) => sentence(shown, index, format)}
            />
          )}
          <Legend series={series} format={format} />
          <div className="sr-only">
            <DayTable caption={title} {...shown} format={format} />
          </div>
        </div>
      )}
    </Card>
  );
}

/** Short on the axis: `$0.05`, `$12`. */
const axisMoney = (usd: number) => (usd === 0 ? '$0' : `$${Number(usd.toPrecision(3))}`);

type VisibleSeries = { days: string[]; series: { name: string; values: (number | null)[] }[] };

function sentence(
  { days, series }: VisibleSeries,
  index: number,
  format: (value: number | null) => string,
) {
  const parts = series
    .filter(({ values }) => values[index] !== 0)
    .map(({ name, values }) => `${name} ${format(values[index] ?? null)}`);
  return `${formatDay(days[index] ?? '', true)}: ${parts.length > 0 ? parts.join(', ') : 'nothing'}`;
}
