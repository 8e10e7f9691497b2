import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

type FoldLineProps = {
  isOpen: boolean;
  onToggle: () => void;
  icon: ReactNode;
  title: ReactNode;
  meta?: ReactNode;
  isDim?: boolean;
  children?: ReactNode;
};

/** One line that unfolds. */
export function FoldLine(props: FoldLineProps) {
  const { isOpen, onToggle, icon, title, meta, isDim = false, children } = props;
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        data-fold
        className="group flex min-h-7 w-full min-w-0 items-center gap-2 rounded-md px-1.5 text-left text-xs hover:bg-hover focus-visible:-outline-offset-2"
      >
        <span aria-hidden className="flex shrink-0 text-subtle [&_svg]:size-3.5">
          {icon}
        </span>
        <span className={cn('flex min-w-0 flex-1 items-center gap-2', isDim && 'text-subtle')}>
          {title}
        </span>
        {meta && (
          <span className="tabular flex shrink-0 items-center gap-2 text-2xs text-subtle">
            {meta}
          </span>
        )}
        <ChevronRight
          aria-hidden
          className={cn(
            'size-3.5 shrink-0 text-subtle opacity-50 transition-transform group-hover:opacity-100',
            isOpen && 'rotate-90',
          )}
        />
      </button>
      {isOpen && children && <div className="pt-1 pr-1.5 pb-2 pl-7.5">{children}</div>}
    </>
  );
}
