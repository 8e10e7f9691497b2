import { ToggleGroup } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

type Segment<Value extends string> = {
  value: Value;
  label: string;
  icon?: ReactNode;
  /** Shows the icon only; the label stays its name. */
  iconOnly?: boolean;
};

type SegmentedControlProps<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  segments: readonly Segment<Value>[];
  className?: string;
};

/** One of a few, always exactly one. */
export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const { label, value, onChange, segments, className } = props;
  const change = (next: string) => {
    const segment = segments.find((one) => one.value === next);
    if (segment) onChange(segment.value);
  };
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={change}
      className={cn('inline-flex h-8 rounded-md bg-pressed/70 p-0.5', className)}
    >
      {segments.map((segment) => (
        <ToggleGroup.Item
          key={segment.value}
          value={segment.value}
          title={segment.iconOnly ? segment.label : undefined}
          className="flex items-center gap-1.5 rounded-[5px] px-2.5 text-xs font-medium whitespace-nowrap text-muted transition-colors hover:text-fg data-[state=on]:bg-panel data-[state=on]:text-fg data-[state=on]:shadow-low [&_svg]:size-3.5"
        >
          {segment.icon}
          <span className={segment.iconOnly ? 'sr-only' : ''}>{segment.label}</span>
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
