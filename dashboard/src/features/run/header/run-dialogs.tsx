import type { Budget } from '@/wire/Budget';
import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import type { RunDetail } from '@/wire/RunDetail';
import { ForkDialog } from '../slider/fork-dialog';
import { CancelDialog } from './cancel-dialog';
import { LimitsDialog } from './limits-dialog';
import { RejectDialog } from './reject-dialog';

export type RunDialog = 'reject' | 'cancel' | 'limits' | 'fork';

type RunDialogsProps = {
  detail: RunDetail;
  budget: Budget;
  checkpoints: readonly CheckpointSummary[];
  at: number | null;
  open: RunDialog | null;
  onClose: () => void;
};

export function RunDialogs({ detail, budget, checkpoints, at, open, onClose }: RunDialogsProps) {
  const shared = (what: RunDialog) => ({
    open: open === what,
    onOpenChange: (isOpen: boolean) => !isOpen && onClose(),
  });
  const { id } = detail;
  const asked = detail.pending_requests.find(({ kind }) => kind === 'approval');
  return (
    <>
      {asked && <RejectDialog run={id} request={asked.request_id} {...shared('reject')} />}
      <CancelDialog detail={detail} {...shared('cancel')} />
      {open === 'limits' && <LimitsDialog run={id} budget={budget} {...shared('limits')} />}
      {open === 'fork' && (
        <ForkDialog run={id} checkpoints={checkpoints} at={at} {...shared('fork')} />
      )}
    </>
  );
}
