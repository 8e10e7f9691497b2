import { Check, Minus } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
import { type LabelProps, WithLabel } from './with-label';

type CheckboxProps = LabelProps & {
  checked: boolean | 'indeterminate';
  onChange: (checked: boolean) => void;
};

export function Checkbox({ checked, onChange, ...words }: CheckboxProps) {
  const Mark = checked === 'indeterminate' ? Minus : Check;
  return (
    <WithLabel {...words}>
      {(control) => (
        <Radix.Root
          {...control}
          checked={checked}
          onCheckedChange={(next) => onChange(next === true)}
          className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-sm border border-control bg-panel text-accent-fg disabled:opacity-55 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent"
        >
          <Radix.Indicator>
            <Mark aria-hidden className="size-3" strokeWidth={3} />
          </Radix.Indicator>
        </Radix.Root>
      )}
    </WithLabel>
  );
}
