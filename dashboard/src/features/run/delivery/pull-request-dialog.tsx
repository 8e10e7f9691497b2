import { useState } from 'react';
import { useOpenPullRequest } from '@/api/delivery';
import { toast } from '@/lib/toast';
import { cli } from '@/model/cli/cli';
import { Checkbox } from '@/ui/checkbox';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { DeliveryDialog, type DeliveryProps } from './delivery-dialog';

/** Asks for the base of a pull request, and opens it. */
export function PullRequestDialog({ detail, open, onOpenChange }: DeliveryProps) {
  const openRequest = useOpenPullRequest();
  const [base, setBase] = useState(detail.base_branch ?? '');
  const [draft, setDraft] = useState(false);
  const confirm = () =>
    openRequest.mutate(
      { run: detail.id, draft, ...(base.trim() === '' ? {} : { base: base.trim() }) },
      {
        onSuccess: ({ number }) => {
          toast({ title: `Opened pull request #${number}`, tone: 'success' });
          onOpenChange(false);
        },
      },
    );
  return (
    <DeliveryDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Open a pull request?"
      description={`Pushes ${detail.branch ?? 'the branch'} and opens a pull request on GitHub with the summary, checks, review and plan.`}
      confirmLabel="Open pull request"
      request={openRequest}
      command={cli.openPullRequest(detail.short_id, { base: base.trim(), draft })}
      onConfirm={confirm}
    >
      <Field label="Base" hint="The branch to merge into">
        {(control) => (
          <Input
            {...control}
            value={base}
            placeholder="The default branch"
            onChange={(event) => setBase(event.target.value)}
          />
        )}
      </Field>
      <Checkbox checked={draft} onChange={setDraft} label="Open as a draft" />
    </DeliveryDialog>
  );
}
