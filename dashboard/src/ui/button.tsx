import { Slot } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { Kbd } from '@/ui/kbd';
import { Spinner } from '@/ui/spinner';

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'danger-quiet' | 'link';
export type ButtonSize = 'sm' | 'md' | 'lg';

export const buttonVariants: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-accent-fg shadow-low hover:bg-accent-hover',
  secondary: 'border border-line-strong bg-panel text-fg shadow-low hover:bg-hover',
  ghost: 'text-muted hover:bg-hover hover:text-fg data-[state=open]:bg-hover',
  danger: 'bg-danger text-danger-fg shadow-low hover:bg-danger-hover',
  'danger-quiet': 'border border-line-strong bg-panel text-failed shadow-low hover:bg-failed-soft',
  link: 'h-auto px-0 text-accent-text underline-offset-3 hover:underline',
};

const sizes: Record<ButtonSize, string> = {
  sm: 'h-7 gap-1.5 px-2.5 text-xs',
  md: 'h-8 gap-1.5 px-3 text-sm',
  lg: 'h-10 gap-2 px-4 text-base',
};

export type ButtonProps = Omit<ComponentProps<'button'>, 'ref'> & {
  ref?: React.Ref<HTMLButtonElement>;
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: ReactNode;
  /** Shows a spinner and refuses clicks, keeping the width. */
  loading?: boolean;
  /** Only drawn; bind it with `useShortcut`. */
  shortcut?: string;
  /** Dress the only child (a link) as a button. */
  asChild?: boolean;
};

export function Button(props: ButtonProps) {
  const { variant = 'secondary', size = 'md', icon, loading = false, shortcut } = props;
  const { variant: _v, size: _s, icon: _i, loading: _l, shortcut: _k, ...rest } = props;
  const { asChild = false, className, children, disabled, ...native } = rest;
  const classes = cn(
    'relative inline-flex shrink-0 select-none items-center justify-center rounded-md font-medium whitespace-nowrap transition-colors',
    'disabled:cursor-not-allowed disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
    sizes[size],
    buttonVariants[variant],
    className,
  );
  if (asChild) {
    return (
      <Slot.Root className={classes} {...native}>
        {children}
      </Slot.Root>
    );
  }
  return (
    <button
      type="button"
      className={classes}
      disabled={disabled || loading}
      aria-busy={loading || undefined}
      {...native}
    >
      {loading ? <Spinner /> : icon}
      {children}
      {shortcut && <Kbd keys={shortcut} bare className="-mr-1 ml-0.5 max-md:hidden" />}
    </button>
  );
}
