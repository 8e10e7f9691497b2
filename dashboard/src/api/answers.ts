// What a person decided about something that needs them: at once on the screen, then at the server.

import { type ActionId, type Order, orderOf } from '@/model/inbox/actions';
import type { InboxItem } from '@/model/inbox/inbox';
import { useCancel, useContinue, useRespond, useResume, useStep } from './actions';
import { answering } from './attention';

export type Told = { words?: string; limit?: number | null };

/** Sends what an action means; says whether it means anything to the server. */
export function useAnswers(): (item: InboxItem, action: ActionId, told?: Told) => boolean {
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
    return order !== null;
  };
}
