import type { InboxItem } from '@/model/inbox';
import type { Action } from '@/model/inbox-actions';
import { ActionBar } from './action-bar';
import { Composer } from './composer';
import { ItemDetail } from './item-detail';
import type { Told } from './use-inbox-orders';

type InboxBodyProps = {
  item: InboxItem;
  asking: Action | null;
  isInScope: () => boolean;
  onAct: (action: Action, told?: Told) => void;
  onLeave: () => void;
};

/** What is to be known before deciding, and the ways to decide. */
export function InboxBody({ item, asking, isInScope, onAct, onLeave }: InboxBodyProps) {
  const answer = item.actions.find((action) => action.id === 'answer');
  return (
    <div className="flex flex-col gap-3 px-4 pb-4 md:pl-15">
      <ItemDetail
        item={item}
        isInScope={isInScope}
        onChoose={(words) => answer && onAct(answer, { words })}
      />
      {asking ? (
        <Composer
          key={asking.id}
          item={item}
          action={asking}
          onSend={(told) => onAct(asking, told)}
          onLeave={onLeave}
        />
      ) : (
        <ActionBar item={item} isInScope={isInScope} onAct={onAct} />
      )}
    </div>
  );
}
