import { useState } from 'react';
import { useOpenPullRequest } from '@/api/delivery';
import { toast } from '@/lib/toast';
import { cli } from '@/model/cli/cli';
import { Checkbox } from '@/ui/checkbox';
import { CliCommand } from '@/ui/cli-command';
import { CodedText } from '@/ui/coded-text';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import type { RunDetail } from '@/wire/RunDetail';

type PullRequestDialogProps = {
  detail: RunDetail;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** Asks for the base of a pull request, and opens it. */
export function PullRequestDialog({ detail, open, onOpenChange }: PullRequestDialogProps) {
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
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Open a pull request?"
      description={`Pushes ${detail.branch ?? 'the branch'} and opens a pull request on GitHub with the summary, checks, review and plan.`}
      confirmLabel="Open pull request"
      busy={openRequest.isPending}
      onConfirm={confirm}
    >
      <div className="flex flex-col gap-3">
        <Field label="Base" hint="The branch that it goes into">
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
        {openRequest.error && (
          <p role="alert" className="text-sm text-pretty wrap-anywhere text-failed">
            <CodedText>{openRequest.error.message}</CodedText>
          </p>
        )}
        <CliCommand command={cli.openPullRequest(detail.id, { base: base.trim(), draft })} />
      </div>
    </ConfirmDialog>
  );
}
