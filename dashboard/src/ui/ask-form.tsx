import { type KeyboardEvent, useId, useState } from 'react';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { FieldsForm, type FormModel } from '@/ui/fields-form';
import { Input } from '@/ui/input';
import { Textarea } from '@/ui/textarea';

type AskFormProps<Answer> = {
  /** What the words are for, or what is to be confirmed. */
  asks: string;
  /** On the button that does it. */
  label: string;
  wants: 'nothing' | 'words' | 'words_or_nothing' | 'rule' | 'limit' | 'sure' | 'fields';
  isDanger: boolean;
  /** In the field for a number at first. */
  proposed: number | null;
  /** In the field for a rule at first. */
  rule: string;
  /** Of the number. */
  unit: string;
  /** The same in a terminal, with what is typed so far. */
  commandOf: (words: string, limit: number | null) => string | null;
  /** What is asked for field by field; everything else is one field, or none. */
  form: FormModel<Answer> | null;
  onSend: (input: { words: string; limit: number | null; fields: Answer | null }) => void;
  /** Says no instead; only of a form. */
  onDecline: () => void;
  onLeave: () => void;
};

/** Asks for what an action needs before it is done. */
export function AskForm<Answer>(props: AskFormProps<Answer>) {
  const { form, onSend, onDecline, onLeave } = props;
  if (form === null) return <OneField {...props} />;
  const send = (fields: Answer) => onSend({ words: '', limit: null, fields });
  return <FieldsForm form={form} onSend={send} onDecline={onDecline} onLeave={onLeave} />;
}

/** Words, a rule, a number, or only "yes, really". Enter sends, Escape leaves. */
function OneField<Answer>(props: AskFormProps<Answer>) {
  const { wants, proposed, rule, onSend, onLeave, ...ask } = props;
  const id = useId();
  const [words, setWords] = useState(() => (wants === 'rule' ? rule : ''));
  const [number, setNumber] = useState(() => String(proposed ?? ''));
  const limit = wants === 'limit' ? Number(number) : null;
  const isReady =
    wants === 'words' || wants === 'rule'
      ? words.trim() !== ''
      : limit === null || (Number.isFinite(limit) && limit > 0);
  const command = ask.commandOf(words, limit);
  const send = () => {
    if (isReady) onSend({ words, limit, fields: null });
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
      // Held down, it may have been meant for what was there before the field.
      if (!event.repeat) send();
    }
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of the field within.
    <div className="flex max-w-3xl flex-col gap-2" onKeyDown={onKeyDown}>
      <label htmlFor={id} className="text-sm font-medium">
        {ask.asks}
      </label>
      {(wants === 'words' || wants === 'words_or_nothing') && (
        <Textarea
          id={id}
          autoFocus
          minRows={2}
          maxRows={8}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      )}
      {wants === 'rule' && (
        <Input
          id={id}
          autoFocus
          spellCheck={false}
          mono
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      )}
      {wants === 'limit' && (
        <span className="w-44">
          <Input
            id={id}
            autoFocus
            inputMode="decimal"
            value={number}
            trailing={ask.unit}
            aria-invalid={!isReady}
            onChange={(event) => setNumber(event.target.value)}
            onFocus={(event) => event.target.select()}
          />
        </span>
      )}
      <div className="flex items-center gap-2">
        <Button
          {...(wants === 'sure' ? { id, autoFocus: true } : {})}
          variant={ask.isDanger ? 'danger' : 'primary'}
          disabled={!isReady}
          shortcut="enter"
          onClick={send}
        >
          {ask.label}
        </Button>
        <Button variant="ghost" shortcut="escape" onClick={onLeave}>
          Go back
        </Button>
        {command && <CliCommand command={command} />}
      </div>
    </div>
  );
}
