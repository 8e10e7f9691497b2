import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

type PopoverProps = {
  trigger: ReactNode;
  children: ReactNode;
  /** Its name for screen readers. */
  label: string;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'right' | 'bottom' | 'left';
  className?: string;
};

export function Popover(props: PopoverProps) {
  const { trigger, children, label, open, onOpenChange, align = 'start', side = 'bottom' } = props;
  return (
    <Radix.Root
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange ? { onOpenChange } : {})}
    >
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className={cn(
            'z-60 max-h-(--radix-popover-content-available-height) max-w-[calc(100vw-1rem)] animate-pop-in overflow-y-auto rounded-lg border border-line bg-raised p-3 shadow-high outline-none',
            props.className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
