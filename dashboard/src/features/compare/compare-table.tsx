import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { cn } from '@/lib/cn';
import { plural } from '@/lib/format';
import { Card } from '@/ui/card';

export type CompareRow = {
  id: string;
  label: ReactNode;
  a: ReactNode;
  b: ReactNode;
  isSame: boolean;
  /** Shown also when it is the same on both sides. */
  isKey?: boolean;
};

type CompareTableProps = {
  id: string;
  title: string;
  rows: readonly CompareRow[];
  /** Instead of rows, when there are none. */
  empty?: ReactNode;
  /** The first column needs room: paths. */
  wide?: boolean;
};

/** Rows of two runs; what is the same is folded away, unless it is a key to the comparison. */
export function CompareTable({ id, title, rows, empty, wide = false }: CompareTableProps) {
  const [isWhole, setWhole] = useState(false);
  const same = rows.filter((row) => row.isSame && !row.isKey);
  const shown = isWhole ? rows : rows.filter((row) => !same.includes(row));
  const Chevron = isWhole ? ChevronUp : ChevronDown;
  return (
    <div id={id} className="scroll-mt-4">
      <Card flush title={title}>
        {rows.length === 0 && <div className="px-4 py-3 text-sm text-muted">{empty}</div>}
        {shown.length > 0 && (
          <table className="block text-sm">
            <caption className="sr-only">{title}</caption>
            <thead className="sr-only">
              <tr>
                <th scope="col">What</th>
                <th scope="col">A</th>
                <th scope="col">B</th>
              </tr>
            </thead>
            <tbody className="block">
              {shown.map((row) => (
                <Row key={row.id} row={row} wide={wide} />
              ))}
            </tbody>
          </table>
        )}
        {same.length > 0 && (
          <button
            type="button"
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
            className={cn(
              'flex h-8 w-full items-center gap-1.5 px-4 text-xs text-muted hover:bg-hover hover:text-fg focus-visible:-outline-offset-2',
              shown.length > 0 && 'border-t border-line',
            )}
          >
            <Chevron aria-hidden className="size-3.5" />
            {words(isWhole, same.length, rows.length)}
          </button>
        )}
      </Card>
    </div>
  );
}

function words(isWhole: boolean, same: number, all: number): string {
  if (isWhole) return 'Show differences only';
  if (same === all) return all === 1 ? 'Same on both sides' : `All ${all} are the same`;
  return `${plural(same, 'more row is', 'more rows are')} the same`;
}

function Row({ row, wide }: { row: CompareRow; wide: boolean }) {
  return (
    <tr
      className={cn(
        'grid grid-cols-2 border-t border-line first:border-t-0',
        wide
          ? 'md:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]'
          : 'md:grid-cols-[11rem_minmax(0,1fr)_minmax(0,1fr)]',
        !row.isSame && 'bg-mark/25',
      )}
    >
      <th
        scope="row"
        className="min-w-0 px-4 py-2 text-left text-xs leading-5 font-normal text-muted max-md:col-span-2 max-md:pb-0"
      >
        <span className="flex items-center gap-1.5">
          <span
            aria-hidden
            className={cn('size-1.5 shrink-0 rounded-full', !row.isSame && 'bg-needs-you')}
          />
          <span className="min-w-0 wrap-anywhere">{row.label}</span>
          {!row.isSame && <span className="sr-only">(different)</span>}
        </span>
      </th>
      <td className="min-w-0 px-4 py-2 wrap-anywhere">{row.a}</td>
      <td className="min-w-0 border-l border-line px-4 py-2 wrap-anywhere">{row.b}</td>
    </tr>
  );
}
