import { type KeyboardEvent, useRef, useState } from 'react';
import type { AnswerInput } from '@/api/answers';
import type { Attention } from '@/api/attention';
import { useRefusals } from '@/api/attention';
import { useShortcut } from '@/lib/use-shortcut';
import type { Action } from '@/model/inbox/actions';
import type { InboxItem } from '@/model/inbox/inbox';
import { ErrorState } from '@/ui/error-state';
import { InboxEmpty } from './inbox-empty';
import { InboxHeader } from './inbox-header';
import { InboxRow } from './inbox-row';
import { InboxSkeleton } from './inbox-skeleton';
import { useInboxActions } from './use-inbox-actions';
import { useInboxSelection } from './use-inbox-selection';

type InboxProps = { attention: Attention; atWork: number };

/** As many as leave the board in sight. */
const MAX_VISIBLE_ITEMS = 6;

/** Everything that needs a person, answerable in place. */
export function Inbox({ attention, atWork }: InboxProps) {
  const { isPending, error } = attention;
  const [isWhole, setWhole] = useState(false);
  const more = isWhole ? 0 : Math.max(0, attention.items.length - MAX_VISIBLE_ITEMS);
  // One more fits in the place of the button that would show it.
  const items = more > 1 ? attention.items.slice(0, MAX_VISIBLE_ITEMS) : attention.items;
  const place = useRef<HTMLElement>(null);
  const selection = useInboxSelection(items, place, isPending);
  const refusals = useRefusals();
  const perform = useInboxActions();
  const [asking, setAsking] = useState<{ item: string; action: Action } | null>(null);
  const [isFolded, setFolded] = useState(false);

  const act = (item: InboxItem, action: Action, input?: AnswerInput) => {
    if (action.wants !== 'nothing' && !input) {
      selection.pick(item.id);
      setFolded(false);
      setAsking({ item: item.id, action });
      return;
    }
    setAsking(null);
    if (item.id === selection.current) selection.advance();
    perform(item, action.id, input);
  };

  const pick = (id: string) => {
    setFolded(id === selection.current && !isFolded);
    setAsking(null);
    selection.pick(id);
  };
  const move = (by: number) => {
    if (!selection.hasKeys()) return;
    setFolded(false);
    setAsking(null);
    selection.move(by);
  };
  const when = items.length > 1;
  const moving = { group: 'Needs you', when, repeats: true };
  useShortcut({ keys: 'j', label: 'Next', ...moving }, () => move(1));
  useShortcut({ keys: 'k', label: 'Previous', ...moving }, () => move(-1));

  const onKeyDown = (event: KeyboardEvent) => {
    const isOnItem = event.target instanceof HTMLElement && event.target.dataset.item !== undefined;
    if (!isOnItem || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  };

  return (
    <section ref={place} aria-labelledby="needs-you" onKeyDown={onKeyDown}>
      <InboxHeader items={attention.items} />
      <div className="overflow-hidden rounded-lg border border-line bg-panel shadow-low">
        {isPending && <InboxSkeleton />}
        {!isPending && error && (
          <ErrorState
            title="Could not load the items that need you"
            message={error.message}
            onRetry={attention.retry}
            retrying={attention.isRetrying}
          />
        )}
        {!isPending && !error && items.length === 0 && <InboxEmpty atWork={atWork} />}
        {items.length > 0 && (
          <ul className="divide-y divide-line">
            {items.map((item) => (
              <InboxRow
                key={item.id}
                item={item}
                isCurrent={item.id === selection.current}
                isOpen={item.id === selection.current && !isFolded}
                asking={asking?.item === item.id ? asking.action : null}
                refusal={refusals.get(item.id) ?? null}
                isInScope={selection.isInScope}
                onPick={() => pick(item.id)}
                onAct={(action, input) => act(item, action, input)}
                onLeave={() => {
                  setAsking(null);
                  selection.focus();
                }}
              />
            ))}
          </ul>
        )}
        {more > 1 && (
          <button
            type="button"
            onClick={() => setWhole(true)}
            className="h-9 w-full border-t border-line text-xs font-medium text-muted hover:bg-hover hover:text-fg focus-visible:-outline-offset-2"
          >
            Show {more} more
          </button>
        )}
      </div>
    </section>
  );
}
