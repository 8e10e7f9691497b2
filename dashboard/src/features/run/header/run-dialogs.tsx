import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import type { RunDetail } from '@/wire/RunDetail';
import { ForkDialog } from '../slider/fork-dialog';
import { CancelDialog } from './cancel-dialog';

export type RunDialog = 'cancel' | 'fork';

type RunDialogsProps = {
  detail: RunDetail;
  checkpoints: readonly CheckpointSummary[];
  at: number | null;
  open: RunDialog | null;
  onClose: () => void;
};

export function RunDialogs({ detail, checkpoints, at, open, onClose }: RunDialogsProps) {
  const shared = (what: RunDialog) => ({
    open: open === what,
    onOpenChange: (isOpen: boolean) => !isOpen && onClose(),
  });
  const { id } = detail;
  return (
    <>
      <CancelDialog detail={detail} {...shared('cancel')} />
      {open === 'fork' && (
        <ForkDialog
          run={id}
          shortId={detail.short_id}
          checkpoints={checkpoints}
          at={at}
          {...shared('fork')}
        />
      )}
    </>
  );
}
