import { AlertDialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from '@/ui/button';

type ConfirmDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What will happen, and whether it can be taken back. */
  description: ReactNode;
  /** The verb, not "OK". */
  confirmLabel: string;
  cancelLabel?: string;
  danger?: boolean;
  /** While the action runs: the dialog stays. Close it when the action has ended. */
  busy?: boolean;
  onConfirm: () => void;
  /** More to choose, such as a reason. */
  children?: ReactNode;
  /** Beside the buttons, at the start of their row. */
  aside?: ReactNode;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onOpenChange, title, description, confirmLabel, onConfirm, children, aside } =
    props;
  const { cancelLabel = 'Cancel', danger = false, busy = false } = props;
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-50 animate-fade-in bg-overlay" />
        <Radix.Content
          data-modal
          className="fixed top-[20vh] left-1/2 z-50 flex max-h-[75dvh] w-[calc(100vw-1.5rem)] max-w-110 -translate-x-1/2 animate-fade-in flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-high outline-none"
        >
          <div className="min-h-0 overflow-y-auto px-5 pt-4 pb-4">
            <Radix.Title className="text-lg font-semibold tracking-tight">{title}</Radix.Title>
            <Radix.Description className="mt-1 text-sm text-pretty text-muted">
              {description}
            </Radix.Description>
            {children && <div className="mt-3">{children}</div>}
          </div>
          <div className="flex flex-wrap justify-end gap-2 border-t border-line bg-canvas/60 px-5 py-3">
            {aside && <div className="mr-auto -ml-2">{aside}</div>}
            <Radix.Cancel asChild>
              <Button disabled={busy}>{cancelLabel}</Button>
            </Radix.Cancel>
            <Button variant={danger ? 'danger' : 'primary'} loading={busy} onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
