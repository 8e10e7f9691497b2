import type { ComponentProps, ReactNode, Ref } from 'react';
import { cn } from '@/lib/cn';
import { type ButtonVariant, buttonVariants } from '@/ui/button';
import { Spinner } from '@/ui/spinner';
import { Tooltip } from '@/ui/tooltip';

export type IconButtonProps = Omit<ComponentProps<'button'>, 'aria-label' | 'children' | 'ref'> & {
  ref?: Ref<HTMLButtonElement>;
  /** Its name, for screen readers and as the tooltip. */
  'aria-label': string;
  icon: ReactNode;
  variant?: ButtonVariant;
  size?: 'sm' | 'md' | 'lg';
  loading?: boolean;
  shortcut?: string;
  tooltip?: boolean;
  tooltipSide?: 'top' | 'right' | 'bottom' | 'left';
};

const sizes = { sm: 'size-7', md: 'size-8', lg: 'size-10' };

export function IconButton(props: IconButtonProps) {
  const { icon, variant = 'ghost', size = 'md', loading = false, shortcut, ...rest } = props;
  const { tooltip = true, tooltipSide = 'top', className, disabled, ...native } = rest;
  const button = (
    <button
      type="button"
      className={cn(
        'inline-flex shrink-0 items-center justify-center rounded-md align-middle transition-colors disabled:cursor-not-allowed disabled:opacity-55 [&_svg]:size-4',
        sizes[size],
        buttonVariants[variant],
        'px-0',
        className,
      )}
      disabled={disabled || loading}
      aria-busy={loading || undefined}
      {...native}
    >
      {loading ? <Spinner /> : icon}
    </button>
  );
  if (!tooltip) return button;
  return (
    <Tooltip label={native['aria-label']} side={tooltipSide} {...(shortcut ? { shortcut } : {})}>
      {button}
    </Tooltip>
  );
}
