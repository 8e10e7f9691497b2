import { type ReactNode, useId } from 'react';
import { cn } from '@/lib/cn';
import { CodedText } from '@/ui/coded-text';

type ControlProps = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean };

type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  optional?: boolean;
  required?: boolean;
  /** Its children are several controls, each with a label of its own. */
  isGroup?: boolean;
  /** Beside the label, on the right. */
  aside?: ReactNode;
  /** The control's id, when others must find it. */
  id?: string;
  /** Gets what ties the control to its words: `{(props) => <Input {...props} />}`. */
  children: (control: ControlProps) => ReactNode;
  className?: string;
};

export function Field(props: FieldProps) {
  const { label, hint, error, optional = false, required = false, isGroup = false } = props;
  const { aside, children, className } = props;
  const own = useId();
  const id = props.id ?? own;
  const noteId = `${id}-note`;
  const labelId = `${id}-label`;
  const note = error ?? hint;
  return (
    <div
      className={cn('flex flex-col gap-1', className)}
      {...(isGroup ? { role: 'group', 'aria-labelledby': labelId } : {})}
    >
      <div className="flex items-baseline gap-2">
        {isGroup ? (
          <span id={labelId} className="text-sm font-medium">
            {label}
          </span>
        ) : (
          <label htmlFor={id} className="text-sm font-medium">
            {label}
          </label>
        )}
        {required && <span className="text-xs text-subtle">required</span>}
        {optional && <span className="text-xs text-subtle">optional</span>}
        {aside && <span className="ml-auto text-xs text-muted">{aside}</span>}
      </div>
      {children({
        id,
        ...(note ? { 'aria-describedby': noteId } : {}),
        ...(error ? { 'aria-invalid': true } : {}),
      })}
      {note && (
        <p
          id={noteId}
          aria-live={error ? 'polite' : undefined}
          className={cn('text-xs', error ? 'text-failed' : 'text-muted')}
        >
          <CodedText>{note}</CodedText>
        </p>
      )}
    </div>
  );
}
