import type { AnswerInput } from '@/api/answers';
import { formOf } from '@/model/inbox/action-form';
import type { Action } from '@/model/inbox/actions';
import type { InboxItem } from '@/model/inbox/inbox';
import { ActionBar } from '@/ui/action-bar';
import { AskForm } from '@/ui/ask-form';
import { ItemCommands } from './item-commands';
import { ItemDetail } from './item-detail';

type InboxBodyProps = {
  item: InboxItem;
  asking: Action | null;
  isInScope: () => boolean;
  onAct: (action: Action, input?: AnswerInput) => void;
  onLeave: () => void;
};

/** What is to be known before deciding, and the ways to decide. */
export function InboxBody({ item, asking, isInScope, onAct, onLeave }: InboxBodyProps) {
  const answer = item.actions.find((action) => action.id === 'answer');
  const decline = item.actions.find((action) => action.id === 'decline');
  return (
    <div className="flex flex-col gap-3 px-4 pb-4 md:pl-15">
      <ItemDetail
        item={item}
        isInScope={isInScope}
        onChoose={(words) => answer && onAct(answer, { words })}
      />
      {asking ? (
        <AskForm
          key={asking.id}
          {...formOf(item, asking)}
          onSend={(input) => onAct(asking, input)}
          onDecline={() => decline && onAct(decline)}
          onLeave={onLeave}
        />
      ) : (
        <ActionBar actions={item.actions} isInScope={isInScope} onAct={onAct}>
          <ItemCommands item={item} />
        </ActionBar>
      )}
    </div>
  );
}
