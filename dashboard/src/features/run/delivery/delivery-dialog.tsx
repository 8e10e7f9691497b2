import type { ReactNode } from 'react';
import { ApiError } from '@/api/http';
import { sentence } from '@/lib/format';
import { hintText } from '@/model/event/hint';
import { CliCommand } from '@/ui/cli-command';
import { CodedText } from '@/ui/coded-text';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import type { RunDetail } from '@/wire/RunDetail';

/** What every dialog about the change of a run gets. */
export type DeliveryProps = {
  detail: RunDetail;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

type DeliveryDialogProps = Omit<DeliveryProps, 'detail'> & {
  title: string;
  description: ReactNode;
  confirmLabel: string;
  /** The request that it sends. */
  request: { isPending: boolean; error: Error | null };
  /** The same in a terminal. */
  command: string;
  onConfirm: () => void;
  children: ReactNode;
};

/** Asks how a change is delivered. When that is refused, it stays open and says why, and what helps. */
export function DeliveryDialog({ request, command, children, ...frame }: DeliveryDialogProps) {
  const hint = request.error instanceof ApiError ? request.error.hint : null;
  return (
    <ConfirmDialog {...frame} busy={request.isPending} aside={<CliCommand command={command} />}>
      <div className="flex flex-col gap-3">
        {children}
        {request.error && (
          <p role="alert" className="text-sm text-pretty wrap-anywhere text-failed">
            <CodedText>{sentence(request.error.message)}</CodedText>
            {hint && (
              <span className="mt-1 block text-fg">
                <CodedText>{hintText(hint)}</CodedText>
              </span>
            )}
          </p>
        )}
      </div>
    </ConfirmDialog>
  );
}
