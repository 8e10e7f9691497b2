import { ArrowDown, ArrowUp } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { cn } from '@/lib/cn';

export type Sort = { column: string; descending: boolean };

export type Column<Row> = {
  id: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Numbers go right, with figures of one width. */
  numeric?: boolean;
  sortable?: boolean;
  className?: string;
};

type TableProps<Row> = {
  /** Read out, not shown. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The rows come sorted; this only shows how, and asks for another order. */
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  onRowClick?: (row: Row) => void;
  /** Instead of the body when there are no rows. */
  empty?: ReactNode;
  className?: string;
};

export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, rowKey, sort, onSort, onRowClick, empty, className } = props;
  return (
    <div className={cn('relative overflow-x-auto', className)}>
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              className={cn(
                'border-t border-line first:border-t-0',
                onRowClick && 'cursor-pointer hover:bg-hover focus-visible:-outline-offset-2',
              )}
              {...(onRowClick ? activation(() => onRowClick(row)) : {})}
            >
              {columns.map((column) => (
                <td
                  key={column.id}
                  className={cn(
                    'h-9 px-3 py-1.5 align-middle first:pl-4 last:pr-4',
                    column.numeric &&
                      'tabular text-right font-mono text-xs [&_span]:text-[length:inherit]',
                    column.className,
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && empty}
    </div>
  );
}

function activation(run: () => void) {
  return {
    tabIndex: 0,
    onClick: run,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter' && event.target === event.currentTarget) run();
    },
  };
}

type HeaderCellProps<Row> = {
  column: Column<Row>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
};

function HeaderCell<Row>({ column, sort, onSort }: HeaderCellProps<Row>) {
  const active = sort?.column === column.id ? sort : undefined;
  const Arrow = active?.descending ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={active ? (active.descending ? 'descending' : 'ascending') : undefined}
      className={cn(
        'h-8 border-b border-line px-3 text-left text-xs font-medium whitespace-nowrap text-muted first:pl-4 last:pr-4',
        column.numeric && 'text-right',
        column.className,
      )}
    >
      {column.sortable && onSort ? (
        <button
          type="button"
          className="inline-flex items-center gap-1 rounded-sm hover:text-fg"
          onClick={() =>
            onSort({ column: column.id, descending: active ? !active.descending : true })
          }
        >
          {column.header}
          <Arrow aria-hidden className={cn('size-3', !active && 'invisible')} />
        </button>
      ) : (
        column.header
      )}
    </th>
  );
}
