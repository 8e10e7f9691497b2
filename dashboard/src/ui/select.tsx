import { getNonce } from 'get-nonce';
import { Check, ChevronDown } from 'lucide-react';
import { Select as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { control } from '@/ui/control';

export type Option<Value extends string = string> = {
  value: Value;
  label: string;
  hint?: string;
  icon?: ReactNode;
  disabled?: boolean;
};

type SelectProps<Value extends string> = {
  value: Value | undefined;
  onChange: (value: Value) => void;
  options: readonly Option<Value>[];
  placeholder?: string;
  disabled?: boolean;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
  'aria-required'?: boolean;
  className?: string;
};

/** For up to about a dozen choices; beyond, use `Combobox`. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, onChange, options, placeholder = 'Choose', disabled, className, ...aria } = props;
  const chosen = options.find((option) => option.value === value);
  const change = (next: string) => {
    const option = options.find((one) => one.value === next);
    if (option) onChange(option.value);
  };
  return (
    <Radix.Root value={value ?? ''} onValueChange={change} disabled={disabled ?? false}>
      <Radix.Trigger
        className={cn(
          control,
          'flex h-8 items-center justify-between gap-2 px-2.5 text-left data-placeholder:text-subtle',
          className,
        )}
        {...aria}
      >
        <span className="truncate">
          <Radix.Value placeholder={placeholder}>{chosen?.label}</Radix.Value>
        </span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-subtle" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-60 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) animate-pop-in overflow-hidden rounded-lg border border-line bg-raised shadow-high"
        >
          <Radix.Viewport className="p-1" nonce={getNonce()}>
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                textValue={option.label}
                disabled={option.disabled ?? false}
                className="flex min-h-7.5 cursor-default select-none items-center gap-2 rounded-md py-1 pr-2 pl-2 text-sm outline-none data-disabled:opacity-55 data-highlighted:bg-hover [&_svg]:size-4"
              >
                {option.icon}
                <span className="min-w-0 flex-1">
                  <Radix.ItemText>
                    {option.label}
                    {option.hint && (
                      <span className="block text-xs text-subtle">{option.hint}</span>
                    )}
                  </Radix.ItemText>
                </span>
                <span className="flex w-4 text-accent-text">
                  <Radix.ItemIndicator>
                    <Check aria-hidden />
                  </Radix.ItemIndicator>
                </span>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
