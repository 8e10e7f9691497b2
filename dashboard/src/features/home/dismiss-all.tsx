import { ListX } from 'lucide-react';
import { dismiss, undismiss } from '@/api/attention';
import { plural } from '@/lib/format';
import { toastWithUndo } from '@/lib/toast';
import type { InboxItem } from '@/model/inbox/inbox';
import { Button } from '@/ui/button';

type DismissAllProps = { items: readonly InboxItem[] };

/** A night of failures is put away with one press. */
const MANY = 3;

export function DismissAll({ items }: DismissAllProps) {
  const ids = items.filter((item) => item.kind === 'failed').map((item) => item.id);
  if (ids.length < MANY) return null;
  const dismissAll = () => {
    dismiss(...ids);
    toastWithUndo(`${plural(ids.length, 'failure')} dismissed`, () => undismiss(...ids));
  };
  return (
    <Button variant="ghost" size="sm" icon={<ListX />} onClick={dismissAll}>
      <span className="max-md:sr-only">Dismiss {ids.length} failures</span>
    </Button>
  );
}
