import { Check, Minus } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
import { type ReactNode, useId } from 'react';
import { cn } from '@/lib/cn';

type CheckboxProps = {
  checked: boolean | 'indeterminate';
  onChange: (checked: boolean) => void;
  /** The words beside it; without them give `aria-label`. */
  label?: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
  id?: string;
  'aria-label'?: string;
  className?: string;
};

export function Checkbox(props: CheckboxProps) {
  const { checked, onChange, label, hint, disabled = false, className } = props;
  const own = useId();
  const id = props.id ?? own;
  return (
    <div className={cn('flex items-start gap-2', className)}>
      <Radix.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={(next) => onChange(next === true)}
        aria-label={props['aria-label']}
        {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-sm border border-control bg-panel text-accent-fg disabled:opacity-55 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent"
      >
        <Radix.Indicator>
          {checked === 'indeterminate' ? (
            <Minus aria-hidden className="size-3" strokeWidth={3} />
          ) : (
            <Check aria-hidden className="size-3" strokeWidth={3} />
          )}
        </Radix.Indicator>
      </Radix.Root>
      {label && (
        <div>
          <label htmlFor={id} className="text-sm">
            {label}
          </label>
          {hint && (
            <p id={`${id}-hint`} className="text-xs text-muted">
              {hint}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
