import { type KeyboardEvent, useId, useState } from 'react';
import type { InboxItem } from '@/model/inbox';
import { type Action, commandOf, proposedLimit } from '@/model/inbox-actions';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { Input } from '@/ui/input';
import { Textarea } from '@/ui/textarea';
import { limitUnits } from './limit-units';
import type { Told } from './use-inbox-orders';

type ComposerProps = {
  item: InboxItem;
  action: Action;
  onSend: (told: Told) => void;
  onLeave: () => void;
};

/** Asks for what an action needs: words, a number, or only "yes, really". Enter sends, Escape leaves. */
export function Composer({ item, action, onSend, onLeave }: ComposerProps) {
  const id = useId();
  const [words, setWords] = useState('');
  const [number, setNumber] = useState(() => String(proposedLimit(item) ?? ''));
  const limit = action.wants === 'limit' ? Number(number) : null;
  const isReady =
    action.wants === 'words'
      ? words.trim() !== ''
      : limit === null || (Number.isFinite(limit) && limit > 0);
  const command = commandOf(item, action.id, words, limit);
  const send = () => {
    if (isReady) onSend({ words, limit });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      onLeave();
    }
    const isField = event.target instanceof HTMLElement && event.target.id === id;
    if (event.key === 'Enter' && !event.shiftKey && isField) {
      event.preventDefault();
      send();
    }
  };
  const unit = item.detail.type === 'limit' ? limitUnits[item.detail.which] : null;

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of the field within.
    <div className="flex max-w-3xl flex-col gap-2" onKeyDown={onKeyDown}>
      <label htmlFor={id} className="text-sm font-medium">
        {action.asks}
      </label>
      {(action.wants === 'words' || action.wants === 'words_or_nothing') && (
        <Textarea
          id={id}
          autoFocus
          minRows={2}
          maxRows={8}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      )}
      {unit && action.wants === 'limit' && (
        <span className="w-44">
          <Input
            id={id}
            autoFocus
            inputMode="decimal"
            value={number}
            trailing={unit.short}
            aria-invalid={!isReady}
            onChange={(event) => setNumber(event.target.value)}
            onFocus={(event) => event.target.select()}
          />
        </span>
      )}
      <div className="flex items-center gap-2">
        <Button
          {...(action.wants === 'sure' ? { id, autoFocus: true } : {})}
          variant={action.id === 'cancel' ? 'danger' : 'primary'}
          disabled={!isReady}
          shortcut="enter"
          onClick={send}
        >
          {action.label}
        </Button>
        <Button variant="ghost" shortcut="escape" onClick={onLeave}>
          Leave it
        </Button>
        {command && <CliCommand command={command} />}
      </div>
    </div>
  );
}
