import { Check } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { Kbd } from '@/ui/kbd';

export type MenuItem =
  | 'separator'
  | { heading: string }
  | {
      label: string;
      icon?: ReactNode;
      hint?: ReactNode;
      shortcut?: string;
      checked?: boolean;
      danger?: boolean;
      disabled?: boolean;
      onSelect: () => void;
    };

type DropdownMenuProps = {
  /** One button. */
  trigger: ReactNode;
  items: MenuItem[];
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'right' | 'bottom' | 'left';
};

export function DropdownMenu({
  trigger,
  items,
  align = 'end',
  side = 'bottom',
}: DropdownMenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-60 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 animate-pop-in overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-high"
        >
          {items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: separators have no name of their own.
            <Item key={index} item={item} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Item({ item }: { item: MenuItem }) {
  if (item === 'separator') return <Radix.Separator className="my-1 h-px bg-line" />;
  if ('heading' in item) {
    return (
      <Radix.Label className="px-2 pt-1.5 pb-1 text-2xs font-medium text-subtle">
        {item.heading}
      </Radix.Label>
    );
  }
  const classes = cn(
    'flex min-h-7.5 cursor-default select-none items-center gap-2 rounded-md px-2 py-1 text-sm outline-none data-disabled:opacity-55 data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:text-subtle',
    item.danger && 'text-failed data-highlighted:bg-failed-soft [&_svg]:text-failed',
  );
  const content = (
    <>
      {item.icon}
      <span className="flex-1">{item.label}</span>
      {item.hint && <span className="text-xs text-subtle">{item.hint}</span>}
      {item.shortcut && <Kbd keys={item.shortcut} className="max-md:hidden" />}
    </>
  );
  if (item.checked === undefined) {
    return (
      <Radix.Item className={classes} disabled={item.disabled ?? false} onSelect={item.onSelect}>
        {content}
      </Radix.Item>
    );
  }
  return (
    <Radix.CheckboxItem
      className={classes}
      checked={item.checked}
      disabled={item.disabled ?? false}
      onSelect={item.onSelect}
    >
      {content}
      <span className="flex w-4">
        <Radix.ItemIndicator>
          <Check aria-hidden />
        </Radix.ItemIndicator>
      </span>
    </Radix.CheckboxItem>
  );
}
