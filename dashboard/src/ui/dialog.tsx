import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { IconButton } from '@/ui/icon-button';

type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** The buttons, the main one last. */
  footer?: ReactNode;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** Keeps the title for screen readers only. */
  hideTitle?: boolean;
};

const sizes = { sm: 'max-w-100', md: 'max-w-130', lg: 'max-w-180', xl: 'max-w-260' };

export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, children, footer, size = 'md' } = props;
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-50 animate-fade-in bg-overlay" />
        <Radix.Content
          data-modal
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={cn(
            'fixed top-[12vh] left-1/2 z-50 flex max-h-[80vh] w-[calc(100vw-1.5rem)] -translate-x-1/2 animate-fade-in flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-high outline-none',
            sizes[size],
          )}
        >
          <div className={cn('flex items-start gap-3 px-5 pt-4', props.hideTitle && 'sr-only')}>
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lg font-semibold tracking-tight">{title}</Radix.Title>
              {description && (
                <Radix.Description className="mt-1 text-sm text-pretty text-muted">
                  {description}
                </Radix.Description>
              )}
            </div>
            {!props.hideTitle && (
              <Radix.Close asChild>
                <IconButton aria-label="Close" tooltip={false} size="sm" icon={<X />} />
              </Radix.Close>
            )}
          </div>
          {children && (
            <div
              className={cn('min-h-0 flex-1 overflow-y-auto', props.hideTitle ? '' : 'px-5 py-4')}
            >
              {children}
            </div>
          )}
          {footer && (
            <div className="flex flex-wrap justify-end gap-2 border-t border-line bg-canvas/60 px-5 py-3">
              {footer}
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
