import { type ReactNode, useMemo } from 'react';
import type { TraceNode } from '@/model/trace/trace';
import { rowsOf } from '@/model/trace/trace-rows';
import { VirtualList } from '@/ui/virtual-list';
import { TraceLabel } from './trace-label';
import { useExpanded } from './use-expanded';

type TraceRowsProps = {
  root: TraceNode;
  label: string;
  /** The columns, the same as those of the head above. */
  grid: string;
  /** What stands beside the name. */
  cells: (node: TraceNode) => ReactNode;
  title?: (node: TraceNode) => string;
  onPoint?: (node: TraceNode | null) => void;
  onDoubleClick?: (node: TraceNode) => void;
};

/** The parts of a run, one under the other, each to be opened. */
export function TraceRows({ root, label, grid, cells, ...on }: TraceRowsProps) {
  const { opened, toggle } = useExpanded();
  const rows = useMemo(() => rowsOf(root, opened), [root, opened]);
  return (
    <VirtualList
      label={label}
      className="min-h-0 flex-1"
      count={rows.length}
      itemKey={(index) => rows[index]?.node.key ?? index}
      estimateSize={estimate}
      renderItem={(index) => {
        const row = rows[index];
        if (!row) return null;
        const { node } = row;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the slider does the same by keyboard.
          <div
            title={on.title?.(node)}
            className={`${grid} h-7 border-b border-line hover:bg-hover`}
            onPointerEnter={() => on.onPoint?.(node)}
            onPointerLeave={() => on.onPoint?.(null)}
            onDoubleClick={() => on.onDoubleClick?.(node)}
          >
            <TraceLabel row={row} onToggle={() => toggle(node.key)} />
            {cells(node)}
          </div>
        );
      }}
    />
  );
}

const estimate = () => 28;
