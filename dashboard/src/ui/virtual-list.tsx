import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type ReactNode, type Ref, useImperativeHandle, useRef } from 'react';
import { cn } from '@/lib/cn';
import { Button } from '@/ui/button';
import { useRowFocus } from '@/ui/use-row-focus';
import { useStickToBottom } from '@/ui/use-stick-to-bottom';

export type VirtualListHandle = {
  scrollToIndex: (index: number, align?: 'auto' | 'start' | 'center' | 'end') => void;
  /** Scrolls there and gives the row the focus. */
  focusIndex: (index: number) => void;
};

type VirtualListProps = {
  label: string;
  count: number;
  renderItem: (index: number) => ReactNode;
  /** A lasting name for each item. Give the same function while the items are the same. */
  itemKey: (index: number) => string | number;
  estimateSize?: (index: number) => number;
  overscan?: number;
  gap?: number;
  /** Stays at the end while items arrive, until somebody scrolls up. */
  stickToBottom?: boolean;
  ref?: Ref<VirtualListHandle>;
  className?: string;
  itemClassName?: string;
};

// Kept outside: a new function at each render would measure the whole list again.
const usual = () => 36;

/** Draws only what is seen of a long list. Arrow keys, Home and End move the focus between rows. */
export function VirtualList(props: VirtualListProps) {
  const { label, count, renderItem, itemKey, estimateSize = usual, stickToBottom = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    getItemKey: itemKey,
    estimateSize,
    overscan: props.overscan ?? 10,
    gap: props.gap ?? 0,
    useFlushSync: false,
  });
  const size = virtualizer.getTotalSize();
  const { atBottom, toBottom, release } = useStickToBottom(scroller, stickToBottom, size);
  const reveal: VirtualListHandle['scrollToIndex'] = (index, align = 'auto') => {
    release();
    virtualizer.scrollToIndex(index, { align });
  };
  const rows = useRowFocus(scroller, count, reveal);
  useImperativeHandle(props.ref, () => ({
    scrollToIndex: reveal,
    focusIndex: rows.focusIndex,
  }));

  return (
    <div className={cn('relative min-h-0', props.className)}>
      <div
        ref={scroller}
        role="list"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onKeyDown={rows.onKeyDown}
        className="scroll-quiet size-full overflow-y-auto [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        <div className="relative w-full" style={{ height: size }}>
          {virtualizer.getVirtualItems().map((item) => (
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              role="listitem"
              aria-setsize={count}
              aria-posinset={item.index + 1}
              data-index={item.index}
              tabIndex={-1}
              className={cn(
                'absolute top-0 left-0 w-full focus-visible:-outline-offset-2',
                props.itemClassName,
              )}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {renderItem(item.index)}
            </div>
          ))}
        </div>
      </div>
      {stickToBottom && !atBottom && count > 0 && (
        <Button
          size="sm"
          icon={<ArrowDown />}
          onClick={toBottom}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-mid"
        >
          Latest
        </Button>
      )}
    </div>
  );
}
