import { type Column, Table } from '@/ui/table';
import { formatDay } from './format-day';

type DayTableProps = {
  caption: string;
  days: readonly string[];
  series: readonly { name: string; values: readonly (number | null)[] }[];
  format: (value: number | null) => string;
};

/** The numbers of the chart, newest day first; days on which nothing happened are left out. */
export function DayTable({ caption, days, series, format }: DayTableProps) {
  const rows = days
    .map((day, index) => ({ day, index }))
    .filter(({ index }) => series.some(({ values }) => values[index] !== 0))
    .reverse();
  const columns: Column<{ day: string; index: number }>[] = [
    {
      id: 'day',
      header: 'Day',
      cell: ({ day }) => <span className="whitespace-nowrap">{formatDay(day, true)}</span>,
    },
    ...series.map(({ name, values }) => ({
      id: name,
      header: name,
      numeric: true,
      cell: ({ index }: { index: number }) => format(values[index] ?? null),
    })),
  ];
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      rowKey={({ day }) => day}
      empty={<p className="px-4 py-6 text-sm text-muted">No usage in this period.</p>}
      className="overflow-visible"
    />
  );
}
