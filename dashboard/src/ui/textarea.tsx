import { type ComponentProps, useEffect, useRef } from 'react';
import { cn } from '@/lib/cn';
import { control } from '@/ui/control';

type TextareaProps = Omit<ComponentProps<'textarea'>, 'ref'> & {
  minRows?: number;
  maxRows?: number;
  mono?: boolean;
  /** Ctrl/Cmd-Enter. */
  onSubmit?: () => void;
};

/** Grows with its text, up to `maxRows`. */
export function Textarea(props: TextareaProps) {
  const { minRows = 3, maxRows = 16, mono = false, onSubmit, className, ...native } = props;
  const area = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const grow = () => {
      element.style.height = 'auto';
      const line = Number.parseFloat(getComputedStyle(element).lineHeight) || 20;
      element.style.height = `${Math.min(element.scrollHeight + 2, line * maxRows + 14)}px`;
    };
    grow();
    element.addEventListener('input', grow);
    return () => element.removeEventListener('input', grow);
  });

  return (
    <textarea
      ref={area}
      rows={minRows}
      className={cn(
        control,
        'block resize-none px-2.5 py-1.5 leading-5',
        mono && 'font-mono text-xs leading-5',
        className,
      )}
      {...native}
      onKeyDown={(event) => {
        native.onKeyDown?.(event);
        if (onSubmit && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          if (!event.repeat) onSubmit();
        }
      }}
    />
  );
}
