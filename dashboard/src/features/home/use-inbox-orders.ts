import { useNavigate } from 'react-router';
import { useCancel, useContinue, useRespond, useResume, useStep } from '@/api/actions';
import { answering, dismiss, undismiss } from '@/api/attention';
import { toastWithUndo } from '@/lib/toast';
import type { InboxItem } from '@/model/inbox';
import { type ActionId, type Order, orderOf } from '@/model/inbox-actions';

export type Told = { words?: string; limit?: number | null };

/** Does what a person decided about an item: at once on the screen, then at the server. */
export function useInboxOrders(): (item: InboxItem, action: ActionId, told?: Told) => void {
  const navigate = useNavigate();
  const respond = useRespond();
  const resume = useResume();
  const step = useStep();
  const goOn = useContinue();
  const cancel = useCancel();

  const send = (run: string, order: Order): Promise<unknown> => {
    switch (order.type) {
      case 'respond': {
        const { type: _, ...answer } = order;
        return respond.mutateAsync({ run, ...answer });
      }
      case 'resume':
        return resume.mutateAsync({ run, ...(order.budget ? { budget: order.budget } : {}) });
      case 'step':
        return step.mutateAsync({ run });
      case 'continue':
        return goOn.mutateAsync({ run });
      case 'cancel':
        return cancel.mutateAsync({ run });
    }
  };

  return (item, action, told = {}) => {
    const order = orderOf(item, action, told.words, told.limit);
    if (order) void answering(item.id, send(item.run, order));
    else if (action === 'plan') void navigate(`/runs/${item.run}/plan`);
    else if (action === 'diff') void navigate(`/runs/${item.run}/diff`);
    else if (action === 'open') void navigate(`/runs/${item.run}`);
    else if (action === 'dismiss') {
      dismiss(item.id);
      toastWithUndo(`Dismissed: ${item.title}`, () => undismiss(item.id));
    }
  };
}
