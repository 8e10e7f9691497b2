import { useNavigate } from 'react-router';
import { type AnswerInput, useAnswers } from '@/api/answers';
import { dismiss, undismiss } from '@/api/attention';
import { toastWithUndo } from '@/lib/toast';
import type { ActionId } from '@/model/inbox/actions';
import type { InboxItem } from '@/model/inbox/inbox';

/** Does what a person decided about an item: sends it, goes there, or puts it away. */
export function useInboxActions(): (
  item: InboxItem,
  action: ActionId,
  input?: AnswerInput,
) => void {
  const navigate = useNavigate();
  const answer = useAnswers();
  return (item, action, input) => {
    if (answer(item, action, input)) return;
    if (action === 'plan') void navigate(`/runs/${item.run}/plan`);
    else if (action === 'diff') void navigate(`/runs/${item.run}/diff`);
    else if (action === 'open') void navigate(`/runs/${item.run}`);
    else if (action === 'dismiss') {
      dismiss(item.id);
      toastWithUndo(`Dismissed: ${item.title}`, () => undismiss(item.id));
    }
  };
}
