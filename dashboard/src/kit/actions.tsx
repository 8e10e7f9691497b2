import { Check, Ellipsis, Pause, Play, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { Section } from '@/kit/section';
import { toast, toastWithUndo } from '@/lib/toast';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Dialog } from '@/ui/dialog';
import { DropdownMenu } from '@/ui/dropdown-menu';
import { IconButton } from '@/ui/icon-button';
import { Popover } from '@/ui/popover';
import { Sheet } from '@/ui/sheet';

export function Actions() {
  const [open, setOpen] = useState<'dialog' | 'confirm' | 'sheet' | null>(null);
  const close = () => setOpen(null);
  return (
    <Section title="Actions">
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" icon={<Check />} shortcut="a">
          Approve
        </Button>
        <Button icon={<X />} shortcut="r">
          Reject
        </Button>
        <Button variant="danger">Cancel the run</Button>
        <Button variant="danger-quiet">Delete</Button>
        <Button variant="ghost">Later</Button>
        <Button variant="link">Show all</Button>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" icon={<Play />}>
          Small
        </Button>
        <Button size="lg" variant="primary">
          Large
        </Button>
        <Button loading>Saving</Button>
        <Button disabled>Disabled</Button>
        <IconButton aria-label="Pause" icon={<Pause />} shortcut="p" />
        <IconButton aria-label="Delete" variant="secondary" icon={<Trash2 />} />
        <DropdownMenu
          trigger={<IconButton aria-label="More" variant="secondary" icon={<Ellipsis />} />}
          items={[
            { heading: 'This run' },
            { label: 'Pause', icon: <Pause />, shortcut: 'p', onSelect: () => {} },
            { label: 'Step', hint: 'one node', onSelect: () => {} },
            'separator',
            { label: 'Cancel', icon: <X />, danger: true, onSelect: () => {} },
          ]}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setOpen('dialog')}>Dialog</Button>
        <Button onClick={() => setOpen('confirm')}>Confirm</Button>
        <Button onClick={() => setOpen('sheet')}>Sheet</Button>
        <Popover label="Why it waits" trigger={<Button>Popover</Button>}>
          <p className="max-w-60">It waits for a free slot: three runs are in progress.</p>
        </Popover>
        <Button onClick={() => toastWithUndo('Comment removed', () => {})}>Toast</Button>
        <Button
          onClick={() =>
            toast({
              tone: 'error',
              title: 'Not approved',
              description: 'The plan has a new revision.',
            })
          }
        >
          Error toast
        </Button>
      </div>
      <Dialog
        open={open === 'dialog'}
        onOpenChange={close}
        title="Reject the plan"
        description="The Architect reads your words and plans again."
        footer={
          <>
            <Button onClick={close}>Back</Button>
            <Button variant="primary" onClick={close}>
              Reject
            </Button>
          </>
        }
      >
        <p>Say what should be different.</p>
      </Dialog>
      <ConfirmDialog
        open={open === 'confirm'}
        onOpenChange={close}
        danger
        title="Cancel this run?"
        description="The agents stop. The worktree and its commits stay as they are."
        confirmLabel="Cancel the run"
        cancelLabel="Resume"
        onConfirm={close}
      />
      <Sheet
        open={open === 'sheet'}
        onOpenChange={close}
        title="Tool call"
        description="bash, 1.2 s"
      >
        <p>What the tool was given, and what it gave back.</p>
      </Sheet>
    </Section>
  );
}
