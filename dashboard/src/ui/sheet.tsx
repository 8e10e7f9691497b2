import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { IconButton } from '@/ui/icon-button';

type SheetProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** `right` turns into a bottom drawer on phones. */
  side?: 'right' | 'bottom';
  children: ReactNode;
  footer?: ReactNode;
  /** Its children scroll themselves, and reach to its edges. */
  isBare?: boolean;
  className?: string;
};

const bottom = 'inset-x-0 bottom-0 max-h-[85vh] animate-slide-up rounded-t-xl border-t safe-bottom';
const right =
  'max-md:inset-x-0 max-md:bottom-0 max-md:max-h-[85vh] max-md:animate-slide-up max-md:rounded-t-xl max-md:border-t md:inset-y-0 md:right-0 md:w-120 md:animate-slide-left md:border-l';

export function Sheet(props: SheetProps) {
  const { open, onOpenChange, title, description, side = 'right', children, footer } = props;
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-50 animate-fade-in bg-overlay" />
        <Radix.Content
          data-modal
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={cn(
            'fixed z-50 flex flex-col border-line bg-raised shadow-high outline-none',
            side === 'bottom' ? bottom : right,
            props.className,
          )}
        >
          <div className="flex items-start gap-3 border-b border-line px-5 py-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="truncate text-base font-semibold">{title}</Radix.Title>
              {description && (
                <Radix.Description className="text-xs text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton aria-label="Close" tooltip={false} size="sm" icon={<X />} />
            </Radix.Close>
          </div>
          <div className={cn('min-h-0 flex-1', !props.isBare && 'overflow-y-auto px-5 py-4')}>
            {children}
          </div>
          {footer && (
            <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
              {footer}
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
