import { type ReactNode, useId } from 'react';
import { cn } from '@/lib/cn';
import { CodedText } from '@/ui/coded-text';

/** What a box to tick and a switch share. */
export type LabelProps = {
  /** The words beside it; without them give `aria-label`. */
  label?: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
  className?: string;
};

type Control = {
  id: string;
  disabled: boolean;
  'aria-label': string | undefined;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
};

type WithLabelProps = LabelProps & { children: (control: Control) => ReactNode };

/** A small control with its words beside it. */
export function WithLabel({ label, hint, className, children, ...given }: WithLabelProps) {
  const own = useId();
  const id = given.id ?? own;
  const hintId = `${id}-hint`;
  return (
    <div className={cn('flex items-start gap-2', className)}>
      {children({
        id,
        disabled: given.disabled ?? false,
        'aria-label': given['aria-label'],
        'aria-describedby': hint ? hintId : given['aria-describedby'],
        'aria-invalid': given['aria-invalid'],
      })}
      {label && (
        <div>
          <label htmlFor={id} className="text-sm">
            {label}
          </label>
          {hint && (
            <p id={hintId} className="text-xs text-muted">
              <CodedText>{hint}</CodedText>
            </p>
          )}
        </div>
      )}
    </div>
  );
}
