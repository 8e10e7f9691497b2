import { Command } from 'cmdk';
import { Check, ChevronsUpDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import { cn } from '@/lib/cn';
import { control } from '@/ui/control';
import type { Option } from '@/ui/select';
import { Spinner } from '@/ui/spinner';

type ComboboxProps = {
  value: string | undefined;
  onChange: (value: string) => void;
  options: readonly Option[];
  placeholder?: string;
  searchPlaceholder?: string;
  emptyText?: string;
  loading?: boolean;
  /** Called on typing; the caller then filters the options. */
  onSearch?: (text: string) => void;
  /** Offers what was typed as a value of its own. */
  allowCustom?: boolean;
  disabled?: boolean;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
  className?: string;
};

export function Combobox(props: ComboboxProps) {
  const { value, onChange, options, placeholder = 'Choose', onSearch, className } = props;
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const chosen = options.find((option) => option.value === value);
  const shown = chosen?.label ?? value ?? placeholder;
  const custom =
    props.allowCustom && text.trim() && !options.some((one) => one.value === text.trim());
  const search = (next: string) => {
    setText(next);
    onSearch?.(next);
  };
  const choose = (next: string) => {
    onChange(next);
    setOpen(false);
    search('');
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        id={props.id}
        disabled={props.disabled}
        // What is read out has the words that are seen, too.
        aria-label={props['aria-label'] && `${props['aria-label']}: ${shown}`}
        aria-describedby={props['aria-describedby']}
        data-invalid={props['aria-invalid']}
        className={cn(
          control,
          'flex h-8 items-center justify-between gap-2 px-2.5 text-left data-[invalid=true]:border-failed',
          className,
        )}
      >
        <span className={cn('truncate', !value && 'text-subtle')}>{shown}</span>
        <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-subtle" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={props['aria-label'] ?? placeholder}
          className="z-60 w-(--radix-popover-trigger-width) min-w-60 animate-pop-in overflow-hidden rounded-lg border border-line bg-raised shadow-high outline-none"
        >
          <Command shouldFilter={!onSearch} loop>
            <div className="flex items-center gap-2 border-b border-line px-3">
              <Command.Input
                value={text}
                onValueChange={search}
                placeholder={props.searchPlaceholder ?? 'Search'}
                className="h-9 min-w-0 flex-1 bg-transparent text-sm outline-none placeholder:text-subtle"
              />
              {props.loading && <Spinner className="text-subtle" />}
            </div>
            <Command.List className="scroll-quiet max-h-72 overflow-y-auto p-1">
              {!custom && !props.loading && (
                <Command.Empty className="px-3 py-6 text-center text-sm text-muted">
                  {props.emptyText ?? 'No results.'}
                </Command.Empty>
              )}
              {custom && (
                <ComboboxItem
                  option={{ value: text.trim(), label: `Use “${text.trim()}”` }}
                  chosen={false}
                  onChoose={choose}
                />
              )}
              {options.map((option) => (
                <ComboboxItem
                  key={option.value}
                  option={option}
                  chosen={option.value === value}
                  onChoose={choose}
                />
              ))}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

type ComboboxItemProps = { option: Option; chosen: boolean; onChoose: (value: string) => void };

function ComboboxItem({ option, chosen, onChoose }: ComboboxItemProps) {
  return (
    <Command.Item
      value={option.value}
      keywords={[option.label, option.hint ?? '']}
      disabled={option.disabled ?? false}
      onSelect={() => onChoose(option.value)}
      className="flex min-h-7.5 cursor-default select-none items-center gap-2 rounded-md px-2 py-1 text-sm data-[disabled=true]:opacity-55 data-[selected=true]:bg-hover [&_svg]:size-4"
    >
      {option.icon}
      <span className="min-w-0 flex-1">
        <span className="block truncate">{option.label}</span>
        {option.hint && <span className="block truncate text-xs text-subtle">{option.hint}</span>}
      </span>
      {chosen && <Check aria-hidden className="text-accent-text" />}
    </Command.Item>
  );
}
