import { BookOpen, GitCompare, PenLine } from 'lucide-react';
import { formatClock, formatDateTime } from '@/lib/format';
import { Button } from '@/ui/button';
import { SegmentedControl } from '@/ui/segmented-control';
import { Select } from '@/ui/select';
import type { PlanReview, PlanView } from './use-plan-review';

type PlanSwitchProps = { review: PlanReview; canEdit: boolean; hasEdits: boolean };

/** Which revision, and how: to read, what changed, to edit. */
export function PlanSwitch({ review, canEdit, hasEdits }: PlanSwitchProps) {
  const { revisions, older, latest, view } = review;
  const all = revisions.data ?? [];
  const canCompare = all.length > 1 || hasEdits;
  const segments: { value: PlanView; label: string; icon: React.ReactNode }[] = [
    { value: 'read', label: 'Read', icon: <BookOpen /> },
  ];
  if (canCompare) segments.push({ value: 'changes', label: 'Changes', icon: <GitCompare /> });
  if (canEdit) segments.push({ value: 'edit', label: 'Edit', icon: <PenLine /> });
  return (
    <div className="flex flex-wrap items-center gap-2">
      {segments.length > 1 && (
        <SegmentedControl
          label="Plan view"
          value={segments.some((one) => one.value === view) ? view : 'read'}
          onChange={review.setView}
          segments={segments}
        />
      )}
      {all.length > 1 && (
        <Select
          aria-label="Plan revision"
          value={String((older ?? latest)?.revision ?? '')}
          onChange={(value) => {
            const chosen = all.find((one) => String(one.revision) === value);
            if (chosen) review.setRevision(chosen);
          }}
          options={all.map((one) => ({
            value: String(one.revision),
            label: `Revision ${one.revision}${one === latest ? ' (latest)' : ''}`,
            hint: one.feedback
              ? `Changes requested; shown at ${formatClock(one.created_at)}`
              : formatDateTime(one.created_at),
          }))}
          className="w-48"
        />
      )}
      {revisions.error && (
        <span className="flex items-center gap-2 text-xs text-muted">
          Could not load earlier revisions
          <Button size="sm" variant="link" onClick={() => void revisions.refetch()}>
            Try again
          </Button>
        </span>
      )}
    </div>
  );
}
