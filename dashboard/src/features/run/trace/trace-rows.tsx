import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import type { TraceNode } from '@/model/trace/trace-node';
import { VirtualList, type VirtualListHandle } from '@/ui/virtual-list';
import { TraceLabel } from './trace-label';
import type { OpenTrace } from './use-open-trace';

type TraceRowsProps = {
  trace: OpenTrace;
  label: string;
  /** The columns, the same as those of the head above. */
  grid: string;
  /** The column of the names is narrow. */
  isCompact?: boolean;
  /** What stands beside the name. */
  cells: (node: TraceNode) => ReactNode;
  title?: (node: TraceNode) => string;
  onPoint?: (node: TraceNode | null) => void;
  onDoubleClick?: (node: TraceNode) => void;
};

/** The parts of a run, one under the other, each to be opened. The left and right arrow close and open. */
export function TraceRows({ trace, label, grid, cells, ...on }: TraceRowsProps) {
  const { run, rows, toggle, onRead } = trace;
  const own = useRef<VirtualListHandle>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[own.current?.focusedIndex() ?? -1];
    const isOther = event.key !== (row?.isOpen ? 'ArrowLeft' : 'ArrowRight');
    if (!row?.node.children || row.node.kind === 'run' || isOther) return;
    event.preventDefault();
    toggle(row.node.key);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of the list within.
    <div className="min-h-0 flex-1" onKeyDown={onKeyDown}>
      <VirtualList
        ref={(handle) => {
          own.current = handle;
          trace.list.current = handle;
        }}
        label={label}
        className="h-full"
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
              className={`${grid} h-7 border-b border-line hover:bg-hover max-md:h-9`}
              onPointerEnter={() => on.onPoint?.(node)}
              onPointerLeave={() => on.onPoint?.(null)}
              onDoubleClick={() => on.onDoubleClick?.(node)}
            >
              <TraceLabel
                run={run}
                row={row}
                isCompact={on.isCompact ?? false}
                onToggle={() => toggle(node.key)}
                onRead={onRead}
              />
              {cells(node)}
            </div>
          );
        }}
      />
    </div>
  );
}

const estimate = () => 28;
