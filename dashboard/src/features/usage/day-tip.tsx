import { formatDay } from './format-day';
import { Swatch } from './swatch';

type DayTipProps = {
  days: readonly string[];
  series: readonly { name: string; colour: string; values: readonly (number | null)[] }[];
  index: number;
  format: (value: number | null) => string;
};

/** One day in numbers, the top of the bar first. */
export function DayTip({ days, series, index, format }: DayTipProps) {
  const rows = series.filter(({ values }) => values[index] !== 0).toReversed();
  const sum = rows.reduce((all, { values }) => all + (values[index] ?? 0), 0);
  const isKnown = rows.some(({ values }) => values[index] !== null);
  return (
    <div className="min-w-36">
      <p className="mb-1 flex justify-between gap-4 font-medium">
        <span>{formatDay(days[index] ?? '', true)}</span>
        {rows.length > 0 && <span className="tabular">{format(isKnown ? sum : null)}</span>}
      </p>
      {rows.length === 0 && <p className="text-muted">nothing</p>}
      {rows.map(({ name, colour, values }) => (
        <p key={name} className="flex items-center gap-1.5">
          <Swatch colour={colour} />
          <span className="min-w-0 flex-1 truncate text-muted">{name}</span>
          <span className="tabular pl-2">{format(values[index] ?? null)}</span>
        </p>
      ))}
    </div>
  );
}
