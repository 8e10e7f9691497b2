import { ArrowDown } from 'lucide-react';
import { type ReactNode, type Ref, useImperativeHandle, useRef } from 'react';
import { cn } from '@/lib/cn';
import { Button } from '@/ui/button';
import type { Align } from '@/ui/row-window';
import { useRowFocus } from '@/ui/use-row-focus';
import { useRowWindow } from '@/ui/use-row-window';
import { useStickToBottom } from '@/ui/use-stick-to-bottom';

export type VirtualListHandle = {
  scrollToIndex: (index: number, align?: Align) => void;
  /** Scrolls there and gives the row the focus. */
  focusIndex: (index: number) => void;
  /** Gives the focus to the row so many further down than the one that has it. */
  moveFocus: (by: number) => void;
  /** The row that has the focus, or contains it. */
  focusedIndex: () => number | null;
  /** Goes to the end and stays there; or lets go. */
  follow: (isFollowing: boolean) => void;
};

type VirtualListProps = {
  label: string;
  count: number;
  renderItem: (index: number) => ReactNode;
  /** A lasting name for each item, so that measured heights survive insertions. */
  itemKey: (index: number) => string | number;
  estimateSize?: (index: number) => number;
  overscan?: number;
  gap?: number;
  /** Room after the last row. */
  endSpace?: number;
  /** Stays at the end while items arrive, until the user scrolls up. */
  stickToBottom?: boolean;
  /** The button that goes back to the end. */
  latestLabel?: string;
  ref?: Ref<VirtualListHandle>;
  className?: string;
  itemClassName?: string;
};

const usual = () => 36;

/** Draws only what is seen of a long list. Arrow keys, Home and End move the focus between rows. */
export function VirtualList(props: VirtualListProps) {
  const { label, count, renderItem, itemKey, estimateSize = usual, stickToBottom = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const source = { count, itemKey, estimateSize, gap: props.gap ?? 0 };
  const sticking = useRef(stickToBottom);
  const list = useRowWindow(scroller, sticking, source, props.overscan ?? 10);
  const { rows, from, to, scrollToIndex } = list;
  const stick = useStickToBottom(scroller, sticking, stickToBottom, rows.total);
  const focus = useRowFocus(scroller, count, (index) => {
    stick.letGo();
    scrollToIndex(index);
  });
  useImperativeHandle(props.ref, () => ({
    scrollToIndex: (index, align = 'auto') => {
      stick.letGo();
      scrollToIndex(index, align);
    },
    focusIndex: focus.focusIndex,
    focusedIndex: focus.focusedIndex,
    moveFocus: (by) => {
      const first = Math.min(from + (props.overscan ?? 10), count - 1);
      const index = (focus.focusedIndex() ?? first - Math.sign(by)) + by;
      if (count > 0) focus.focusIndex(Math.max(0, Math.min(index, count - 1)));
    },
    follow: (isFollowing) => (isFollowing ? stick.toBottom() : stick.letGo()),
  }));

  return (
    <div className={cn('relative min-h-0', props.className)}>
      <div
        ref={scroller}
        role="list"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onKeyDown={focus.onKeyDown}
        className="scroll-quiet size-full overflow-y-auto [contain:strict] [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        <div className="relative w-full" style={{ height: rows.total + (props.endSpace ?? 0) }}>
          {Array.from({ length: Math.max(0, to - from) }, (_, offset) => {
            const index = from + offset;
            return (
              <div
                key={itemKey(index)}
                ref={list.rowRef}
                role="listitem"
                // Of a list that grows all the time the length is unknown, and is not announced thirty times a second.
                aria-setsize={stickToBottom ? -1 : count}
                aria-posinset={index + 1}
                data-index={index}
                tabIndex={-1}
                className={cn(
                  'absolute top-0 left-0 w-full [contain:layout_style] focus-visible:-outline-offset-2',
                  props.itemClassName,
                )}
                style={{ transform: `translateY(${rows.startOf(index)}px)` }}
              >
                {renderItem(index)}
              </div>
            );
          })}
        </div>
      </div>
      {stickToBottom && !stick.atBottom && count > 0 && (
        <Button
          size="sm"
          icon={<ArrowDown />}
          onClick={stick.toBottom}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-mid"
        >
          {props.latestLabel ?? 'Latest'}
        </Button>
      )}
    </div>
  );
}
