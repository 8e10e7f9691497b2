import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

type CardProps = {
  title?: ReactNode;
  description?: ReactNode;
  /** On the right of the title. */
  actions?: ReactNode;
  footer?: ReactNode;
  /** No padding: for tables and lists that reach the edge. */
  flush?: boolean;
  children?: ReactNode;
  className?: string;
};

export function Card(props: CardProps) {
  const { title, description, actions, footer, flush = false, children, className } = props;
  return (
    <section
      className={cn('overflow-hidden rounded-lg border border-line bg-panel shadow-low', className)}
    >
      {(title || actions) && (
        <div className={cn('flex items-center gap-3 px-4 py-2.5', flush && 'border-b border-line')}>
          <div className="min-w-0 flex-1">
            {title && <h2 className="truncate text-sm font-semibold">{title}</h2>}
            {description && <p className="text-xs text-muted">{description}</p>}
          </div>
          {actions && <div className="flex shrink-0 items-center gap-1.5">{actions}</div>}
        </div>
      )}
      {children && (
        <div className={cn(!flush && 'px-4 pb-4', !flush && !title && !actions && 'pt-4')}>
          {children}
        </div>
      )}
      {footer && <div className="border-t border-line bg-canvas/60 px-4 py-2.5">{footer}</div>}
    </section>
  );
}
