import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useId,
  useRef,
  useState,
} from 'react';
import { cn } from '@/lib/cn';
import { isNumber, remember, remembered } from '@/lib/storage';

type SplitPaneProps = {
  /** Its size is remembered under this name. */
  name: string;
  /** What the handle does, for screen readers: `Width of the list`. */
  label: string;
  /** The pane that has the size… */
  first: ReactNode;
  /** …and the one that takes the rest. */
  second: ReactNode;
  /** `end` gives the size to the second pane instead. */
  sized?: 'start' | 'end';
  defaultSize?: number;
  min?: number;
  max?: number;
  className?: string;
};

const step = 24;
/** What the other pane keeps where there is little room. */
const REST = '22rem';

/** Two panes side by side with a handle between; on phones one above the other, without it. */
export function SplitPane(props: SplitPaneProps) {
  const { name, label, first, second, sized = 'start', defaultSize = 320 } = props;
  const { min = 180, max = 720, className } = props;
  const clamp = (value: number) => Math.round(Math.min(max, Math.max(min, value)));
  const [size, setSize] = useState(() => clamp(remembered(`pane.${name}`, isNumber, defaultSize)));
  const drag = useRef<{ from: number; size: number } | null>(null);
  const paneId = useId();
  const direction = sized === 'start' ? 1 : -1;

  const resize = (value: number) => {
    setSize(clamp(value));
    remember(`pane.${name}`, clamp(value));
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { from: event.clientX, size };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!drag.current) return;
    setSize(clamp(drag.current.size + (event.clientX - drag.current.from) * direction));
  };
  const onPointerUp = () => {
    if (drag.current) remember(`pane.${name}`, size);
    drag.current = null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = keyed(event.key, { size, min, max, direction });
    if (next === null) return;
    event.preventDefault();
    resize(next);
  };

  const sizedPane = (content: ReactNode) => (
    <div
      id={paneId}
      className="relative min-h-0 shrink-0 overflow-auto max-md:!w-full"
      style={{ width: size, maxWidth: `max(${min}px, calc(100% - ${REST}))` }}
    >
      {content}
    </div>
  );
  const restPane = (content: ReactNode) => (
    <div className="relative min-h-0 min-w-0 flex-1 overflow-auto">{content}</div>
  );
  return (
    <div className={cn('flex min-h-0 max-md:flex-col', className)}>
      {sized === 'start' ? sizedPane(first) : restPane(first)}
      <div
        role="separator"
        aria-label={label}
        aria-controls={paneId}
        aria-orientation="vertical"
        aria-valuemin={min}
        aria-valuemax={max}
        aria-valuenow={size}
        tabIndex={0}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onDoubleClick={() => resize(defaultSize)}
        onKeyDown={onKeyDown}
        className="group relative z-10 -mx-1 hidden w-2.25 shrink-0 cursor-col-resize touch-none outline-none md:block"
      >
        <span className="absolute inset-y-0 left-1/2 w-px -translate-x-1/2 bg-line transition-[width,background-color] group-hover:w-0.5 group-hover:bg-line-strong group-focus-visible:w-0.75 group-focus-visible:bg-focus group-active:w-0.75 group-active:bg-accent" />
      </div>
      {sized === 'start' ? restPane(second) : sizedPane(second)}
    </div>
  );
}

type Extent = { size: number; min: number; max: number; direction: number };

function keyed(key: string, { size, min, max, direction }: Extent): number | null {
  if (key === 'ArrowRight') return size + step * direction;
  if (key === 'ArrowLeft') return size - step * direction;
  if (key === 'Home') return min;
  return key === 'End' ? max : null;
}
