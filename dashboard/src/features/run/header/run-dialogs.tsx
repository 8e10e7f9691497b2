import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import type { RunDetail } from '@/wire/RunDetail';
import { BreakpointDialog } from '../breakpoints/breakpoint-dialog';
import { InterveneDialog } from '../intervene/intervene-dialog';
import { ForkDialog } from '../slider/fork-dialog';
import { CancelDialog } from './cancel-dialog';

export type RunDialog = 'cancel' | 'fork' | 'breakpoints' | 'intervene';

type RunDialogsProps = {
  detail: RunDetail;
  checkpoints: readonly CheckpointSummary[];
  at: number | null;
  open: RunDialog | null;
  /** Agents work on it right now. */
  isAtWork: boolean;
  onClose: () => void;
};

export function RunDialogs({ detail, checkpoints, at, open, isAtWork, onClose }: RunDialogsProps) {
  const shared = (what: RunDialog) => ({
    open: open === what,
    onOpenChange: (isOpen: boolean) => !isOpen && onClose(),
  });
  const { id } = detail;
  return (
    <>
      <CancelDialog detail={detail} {...shared('cancel')} />
      {open === 'breakpoints' && <BreakpointDialog detail={detail} {...shared('breakpoints')} />}
      {open === 'intervene' && (
        <InterveneDialog detail={detail} isAtWork={isAtWork} {...shared('intervene')} />
      )}
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
