import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useForget } from '@/api/memory';
import { Button } from '@/ui/button';
import { CodedText } from '@/ui/coded-text';
import { ConfirmDialog } from '@/ui/confirm-dialog';

type ForgetMemoryProps = { id: string };

/** Removes an entry with all its versions. */
export function ForgetMemory({ id }: ForgetMemoryProps) {
  const [isOpen, setOpen] = useState(false);
  const forget = useForget();
  const confirm = () => forget.mutate(id, { onSuccess: () => setOpen(false) });
  return (
    <>
      <Button size="sm" variant="danger-quiet" icon={<Trash2 />} onClick={() => setOpen(true)}>
        Remove
      </Button>
      <ConfirmDialog
        open={isOpen}
        onOpenChange={setOpen}
        title={`Remove entry ${id}?`}
        description="The text of all its versions is removed. This cannot be undone."
        confirmLabel="Remove"
        danger
        busy={forget.isPending}
        onConfirm={confirm}
      >
        {forget.error && (
          <p role="alert" className="text-sm text-failed">
            <CodedText>{forget.error.message}</CodedText>
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}
