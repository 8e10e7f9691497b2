import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Kbd } from '@/ui/kbd';

type TooltipProps = {
  label: ReactNode;
  shortcut?: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** One focusable element. */
  children: ReactNode;
};

export function Tooltip({ label, shortcut, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Provider delayDuration={350}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="z-70 flex max-w-72 animate-fade-in items-center gap-2 rounded-md bg-inverse px-2 py-1 text-xs text-inverse-fg shadow-mid"
          >
            {label}
            {shortcut && <Kbd keys={shortcut} bare />}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
