import { Switch as Radix } from 'radix-ui';
import { type ReactNode, useId } from 'react';
import { cn } from '@/lib/cn';

type SwitchProps = {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** The words beside it; without them give `aria-label`. */
  label?: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  className?: string;
};

export function Switch(props: SwitchProps) {
  const { checked, onChange, label, hint, disabled = false, className } = props;
  const own = useId();
  const id = props.id ?? own;
  const hintId = `${id}-hint`;
  return (
    <div className={cn('flex items-start gap-2.5', className)}>
      <Radix.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        aria-label={props['aria-label']}
        aria-describedby={hint ? hintId : props['aria-describedby']}
        className="relative mt-0.5 h-4.5 w-8 shrink-0 rounded-full bg-control transition-colors disabled:opacity-55 data-[state=checked]:bg-accent"
      >
        <Radix.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-accent-fg shadow-low transition-transform data-[state=checked]:translate-x-4" />
      </Radix.Root>
      {label && (
        <div>
          <label htmlFor={id} className="text-sm">
            {label}
          </label>
          {hint && (
            <p id={hintId} className="text-xs text-muted">
              {hint}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
