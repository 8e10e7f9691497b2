import { useState } from 'react';
import { useMerge } from '@/api/delivery';
import { sentence } from '@/lib/format';
import { toast } from '@/lib/toast';
import { cli } from '@/model/cli/cli';
import { acceptedAsIs } from '@/model/run/accepted';
import { Checkbox } from '@/ui/checkbox';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { SegmentedControl } from '@/ui/segmented-control';
import type { MergeWay } from '@/wire/MergeWay';
import { DeliveryDialog, type DeliveryProps } from './delivery-dialog';

const WAYS = [
  { value: 'merge', label: 'Merge' },
  { value: 'squash', label: 'Squash' },
  { value: 'rebase', label: 'Rebase' },
] as const;

const MEANINGS: Record<MergeWay, string> = {
  merge: 'Keeps the commits: a fast-forward if possible, else a merge commit.',
  squash: 'Makes one commit of all changes.',
  rebase: 'Puts the commits on top of the branch, without a merge commit.',
};

/** Asks how the change is merged, and merges it. */
export function MergeDialog({ detail, open, onOpenChange }: DeliveryProps) {
  const merge = useMerge();
  const [into, setInto] = useState(detail.base_branch ?? '');
  const [method, setMethod] = useState<MergeWay>('merge');
  const [deletes, setDeletes] = useState(false);
  const confirm = () =>
    merge.mutate(
      {
        run: detail.id,
        method,
        delete_branch: deletes,
        ...(into.trim() === '' ? {} : { into: into.trim() }),
      },
      {
        onSuccess: ({ merged, undo, notes }) => {
          toast({
            title: `Merged into ${merged.into}`,
            description: notes.map(sentence).join(' '),
            command: {
              label: `To undo the merge, while ${merged.into} has no newer commits:`,
              text: undo,
            },
            tone: 'success',
            duration: 20_000,
          });
          onOpenChange(false);
        },
      },
    );
  return (
    <DeliveryDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Merge this change?"
      description="Your checkout is updated if the branch is checked out. If something conflicts, nothing is changed."
      confirmLabel="Merge"
      request={merge}
      command={cli.merge(detail.short_id, { into: into.trim(), method, deletes })}
      onConfirm={confirm}
    >
      {acceptedAsIs(detail.outcome?.tasks ?? []).map((sentence) => (
        <p key={sentence} role="note" className="text-sm font-medium text-pretty text-needs-you">
          {sentence}
        </p>
      ))}
      <Field label="Into" hint="The branch that gets the change">
        {(control) => (
          <Input
            {...control}
            value={into}
            placeholder="The branch that is checked out"
            onChange={(event) => setInto(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-col gap-1">
        <SegmentedControl
          label="How to merge"
          value={method}
          onChange={setMethod}
          segments={WAYS}
          className="self-start"
        />
        <p className="text-xs text-muted">{MEANINGS[method]}</p>
      </div>
      <Checkbox
        checked={deletes}
        onChange={setDeletes}
        label="Delete the branch and its worktree afterwards"
      />
    </DeliveryDialog>
  );
}
