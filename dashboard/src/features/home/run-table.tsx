import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useRef } from 'react';
import { cn } from '@/lib/cn';
import { inOrder, type SortBy, type SortOrder } from '@/model/board/run-sort';
import type { RunSummary } from '@/wire/RunSummary';
import { RunRow } from './run-row';

type RunTableProps = {
  runs: readonly RunSummary[];
  order: SortOrder;
  onOrder: (order: SortOrder) => void;
};

const ROW = 41;

const columns: { by: SortBy; label: string; className?: string }[] = [
  { by: 'status', label: 'Status', className: 'w-30' },
  { by: 'issue', label: 'Issue', className: 'w-28 max-lg:hidden' },
  { by: 'title', label: 'Title' },
  { by: 'profile', label: 'Profile', className: 'w-28 max-xl:hidden' },
  { by: 'spent', label: 'Spent', className: 'w-40 max-lg:hidden' },
  { by: 'updated', label: 'Updated', className: 'w-24 max-md:hidden' },
  { by: 'created', label: 'Created', className: 'w-24 max-md:w-20' },
];

/** Thousands of runs: only what is seen is drawn. */
export function RunTable({ runs, order, onOrder }: RunTableProps) {
  const scroller = useRef<HTMLElement>(null);
  const rows = inOrder(runs, order);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.id ?? index,
    estimateSize: () => ROW,
    overscan: 12,
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);

  return (
    <section
      ref={scroller}
      aria-label="List of runs"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      className="scroll-quiet relative max-h-[75vh] overflow-y-auto rounded-lg border border-line bg-panel shadow-low [overflow-anchor:none]"
    >
      <table
        aria-rowcount={rows.length + 1}
        className="w-full table-fixed border-separate border-spacing-0"
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.by} {...column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Space height={before} />}
          {items.map((item) => {
            const run = rows[item.index];
            return run && <RunRow key={item.key} run={run} index={item.index} />;
          })}
          {after > 0 && <Space height={after} />}
        </tbody>
      </table>
    </section>
  );
}

function Space({ height }: { height: number }) {
  return (
    <tr aria-hidden>
      <td style={{ height }} />
    </tr>
  );
}

type HeaderCellProps = (typeof columns)[number] & {
  order: SortOrder;
  onOrder: (order: SortOrder) => void;
};

function HeaderCell({ by, label, className, order, onOrder }: HeaderCellProps) {
  const isActive = order.by === by;
  const Arrow = isActive && order.descending ? ArrowDown : ArrowUp;
  const startsDescending = by === 'created' || by === 'updated' || by === 'spent';
  return (
    <th
      scope="col"
      aria-sort={isActive ? (order.descending ? 'descending' : 'ascending') : undefined}
      className={cn(
        'sticky top-0 z-10 h-8 border-b border-line bg-panel px-3 text-left text-xs font-medium text-muted first:pl-4 last:pr-4',
        className,
      )}
    >
      <button
        type="button"
        className="inline-flex items-center gap-1 rounded-sm hover:text-fg"
        onClick={() => onOrder({ by, descending: isActive ? !order.descending : startsDescending })}
      >
        {label}
        <Arrow aria-hidden className={cn('size-3', !isActive && 'invisible')} />
      </button>
    </th>
  );
}
