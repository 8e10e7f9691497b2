import { Swatch } from './swatch';

type LegendProps = {
  series: readonly { name: string; colour: string; total: number | null }[];
  format: (value: number | null) => string;
};

export function Legend({ series, format }: LegendProps) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {series.map(({ name, colour, total }) => (
        <li key={name} className="flex min-w-0 items-center gap-1.5">
          <Swatch colour={colour} />
          <span className="truncate">{name}</span>
          <span className="tabular text-muted">{format(total)}</span>
        </li>
      ))}
    </ul>
  );
}
