import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

type EmptyStateProps = {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  /** Usually one button: the obvious next step. */
  action?: ReactNode;
  size?: 'page' | 'panel';
  className?: string;
};

export function EmptyState(props: EmptyStateProps) {
  const { icon, title, children, action, size = 'panel', className } = props;
  return (
    <div
      className={cn(
        'flex flex-col items-center justify-center gap-1.5 px-6 text-center',
        size === 'page' ? 'min-h-[60vh] py-16' : 'py-10',
        className,
      )}
    >
      {icon && (
        <div
          aria-hidden
          className="mb-2 flex size-11 items-center justify-center rounded-xl border border-line bg-panel text-subtle shadow-low [&_svg]:size-5"
        >
          {icon}
        </div>
      )}
      <p className="text-base font-semibold text-fg">{title}</p>
      {children && <div className="max-w-100 text-sm text-pretty text-muted">{children}</div>}
      {action && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
