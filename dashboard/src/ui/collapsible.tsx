import { ChevronRight } from 'lucide-react';
import { Collapsible as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

type CollapsibleProps = {
  title: ReactNode;
  /** On the right: a duration, a cost, a count. */
  meta?: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  defaultOpen?: boolean;
  /** Drawn only while open. */
  children: ReactNode;
  className?: string;
};

export function Collapsible(props: CollapsibleProps) {
  const { title, meta, open, onOpenChange, defaultOpen = false, children, className } = props;
  return (
    <Radix.Root
      defaultOpen={defaultOpen}
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange ? { onOpenChange } : {})}
      className={className}
    >
      <Radix.Trigger className="group flex min-h-8 w-full items-center gap-1.5 rounded-md px-1.5 py-1 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-subtle transition-transform group-data-[state=open]:rotate-90"
        />
        <span className="min-w-0 flex-1 truncate">{title}</span>
        {meta && (
          <span className="flex shrink-0 items-center gap-2 text-xs text-muted">{meta}</span>
        )}
      </Radix.Trigger>
      <Radix.Content className={cn('pt-1 pb-2 pl-7')}>{children}</Radix.Content>
    </Radix.Root>
  );
}
