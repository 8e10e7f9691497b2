import { useState } from 'react';
import { useReject } from '@/api/actions';
import { toast } from '@/lib/toast';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Textarea } from '@/ui/textarea';

type RejectDialogProps = {
  run: string;
  request: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

export function RejectDialog({ run, request, open, onOpenChange }: RejectDialogProps) {
  const [feedback, setFeedback] = useState('');
  const reject = useReject();
  const isEmpty = feedback.trim() === '';
  const send = () => {
    if (isEmpty) return;
    reject.mutate(
      { run, request, feedback: feedback.trim() },
      {
        onSuccess: () => {
          onOpenChange(false);
          setFeedback('');
          toast({ title: 'Plan rejected', description: 'The Architect makes it again.' });
        },
      },
    );
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Reject the plan"
      description="The Architect makes the plan again with your words."
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Keep waiting</Button>
          <Button variant="primary" disabled={isEmpty} loading={reject.isPending} onClick={send}>
            Reject
          </Button>
        </>
      }
    >
      <Field label="What should change" error={reject.error?.message}>
        {(control) => (
          <Textarea
            {...control}
            autoFocus
            value={feedback}
            onChange={(event) => setFeedback(event.target.value)}
            onSubmit={send}
          />
        )}
      </Field>
    </Dialog>
  );
}
