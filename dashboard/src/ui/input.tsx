import type { ComponentProps, ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { control } from '@/ui/control';

type InputProps = Omit<ComponentProps<'input'>, 'size'> & {
  /** Drawn inside, at the start. */
  icon?: ReactNode;
  /** Drawn inside, at the end: a unit, a key, a small button. */
  trailing?: ReactNode;
  mono?: boolean;
};

export function Input({ icon, trailing, mono = false, className, ...native }: InputProps) {
  const input = (
    <input
      className={cn(
        control,
        'h-8 px-2.5',
        mono && 'tabular font-mono text-xs',
        icon && 'pl-8',
        trailing && 'pr-10',
        className,
      )}
      {...native}
    />
  );
  if (!icon && !trailing) return input;
  return (
    <span className="relative block w-full">
      {icon && (
        <span className="pointer-events-none absolute inset-y-0 left-2.5 flex items-center text-subtle [&_svg]:size-4">
          {icon}
        </span>
      )}
      {input}
      {trailing && (
        <span className="absolute inset-y-0 right-2 flex items-center text-xs text-subtle">
          {trailing}
        </span>
      )}
    </span>
  );
}
