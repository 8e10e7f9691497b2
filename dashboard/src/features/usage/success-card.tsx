import { formatPercent } from '@/lib/format';
import {
  outcomeNames,
  runsIn,
  type Span,
  successByDay,
  successRate,
} from '@/model/usage/usage-series';
import { Card } from '@/ui/card';
import { TimeChart } from '@/ui/time-chart';
import type { Usage } from '@/wire/Usage';
import { DayTable } from './day-table';
import { formatDay } from './format-day';
import { outcomeColour, outcomeWord } from './names';
import { Swatch } from './swatch';

type SuccessCardProps = { usage: Usage; span: Span };

/** How runs came out, and how that went over time. */
export function SuccessCard({ usage, span }: SuccessCardProps) {
  const { outcomes } = usage;
  const all = runsIn(outcomes);
  const rate = successRate(outcomes);
  const { days, rates } = successByDay(usage, span);
  const values = { name: 'success', colour: '--status-done', values: rates };
  const format = (value: number | null) =>
    value === null ? 'no finished runs' : formatPercent(value);
  const say = (index: number) =>
    `${formatDay(days[index] ?? '', true)}: ${format(rates[index] ?? null)}`;
  return (
    <Card
      title="Success rate"
      description="Share of completed runs among completed and failed ones. Cancelled and unfinished runs do not count."
    >
      <div className="grid items-center gap-x-8 gap-y-4 md:grid-cols-[15rem_minmax(0,1fr)]">
        <div>
          <p className="tabular text-xl font-semibold tracking-tight">
            {rate === null ? <span className="text-muted">none ended</span> : formatPercent(rate)}
          </p>
          <div aria-hidden className="my-2 flex h-2 gap-px overflow-hidden rounded-full bg-pressed">
            {outcomeNames.map((name) => (
              <span
                key={name}
                style={{
                  width: `${all === 0 ? 0 : (outcomes[name] / all) * 100}%`,
                  background: `var(${outcomeColour(name)})`,
                }}
              />
            ))}
          </div>
          <ul className="grid grid-cols-2 gap-x-3 gap-y-1 text-xs">
            {outcomeNames.map((name) => (
              <li key={name} className="flex items-center gap-1.5">
                <Swatch colour={outcomeColour(name)} />
                <span className="text-muted">{outcomeWord(name)}</span>
                <span className="tabular ml-auto font-medium">{outcomes[name]}</span>
              </li>
            ))}
          </ul>
        </div>
        <TimeChart
          kind="line"
          label="Success rate by day"
          height={140}
          max={1.05}
          labels={days.map((day) => formatDay(day))}
          series={[values]}
          format={(value) => (value > 1 ? '' : formatPercent(value))}
          tip={(index) => <span className="whitespace-nowrap">{say(index)}</span>}
          say={say}
        />
        <div className="sr-only">
          <DayTable
            caption="Success rate by day"
            days={days.filter((_, index) => rates[index] !== null)}
            series={[{ name: 'Success', values: rates.filter((one) => one !== null) }]}
            format={format}
          />
        </div>
      </div>
    </Card>
  );
}
