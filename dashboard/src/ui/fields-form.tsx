import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '@/ui/button';
import { CliCommand } from '@/ui/cli-command';
import { FieldControl, type FormField, type FormValue } from '@/ui/field-control';

export type FormDraft = Readonly<Record<string, FormValue>>;

export type FormModel<Answer> = {
  /** What is typed is kept under this name as long as the page is open: an answer may be refused. */
  name: string;
  title: string;
  fields: readonly FormField[];
  /** What stands in the fields at first. */
  first: FormDraft;
  /** What is wrong, by the name of the field. */
  faultsOf: (draft: FormDraft) => Record<string, string>;
  answerOf: (draft: FormDraft) => Answer;
  /** The same in a terminal. */
  commandOf: (answer: Answer) => string | null;
};

type FieldsFormProps<Answer> = {
  form: FormModel<Answer>;
  onSend: (answer: Answer) => void;
  onDecline: () => void;
  onLeave: () => void;
};

const drafts = new Map<string, FormDraft>();

/** Fields to fill in, checked before they are sent. Enter sends, Escape leaves; the keys of the page wait. */
export function FieldsForm<Answer>(props: FieldsFormProps<Answer>) {
  const { form, onSend, onDecline, onLeave } = props;
  const frame = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(() => drafts.get(form.name) ?? form.first);
  const [faults, setFaults] = useState<Record<string, string>>({});
  useEffect(() => focusFirst(frame.current, 'input, textarea, button'), []);

  const change = (name: string, value: FormValue) => {
    const next = { ...draft, [name]: value };
    drafts.set(form.name, next);
    setDraft(next);
    // A fault that was shown leaves as soon as it is gone; a new one is not shown while the user types.
    const { [name]: shown, ...others } = faults;
    if (shown === undefined) return;
    const fault = form.faultsOf(next)[name];
    setFaults(fault === undefined ? others : { ...others, [name]: fault });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = { ...form.faultsOf(draft), ...incomplete(frame.current) };
    setFaults(found);
    if (Object.keys(found).length === 0) onSend(form.answerOf(draft));
    // When the faults are drawn.
    else requestAnimationFrame(() => focusFirst(frame.current, '[aria-invalid="true"]'));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isInside = event.target instanceof Node && frame.current?.contains(event.target);
    if (event.defaultPrevented || event.nativeEvent.isComposing || !isInside) return;
    if (event.key === 'Escape') onLeave();
    // Held down, it may have been meant for what was there before the form.
    else if (event.key !== 'Enter' || !event.repeat) return;
    event.preventDefault();
  };
  const command = form.commandOf(form.answerOf(draft));
  return (
    <form
      ref={frame}
      noValidate
      aria-label={form.title}
      onSubmit={submit}
      onKeyDown={onKeyDown}
      className="flex max-w-3xl flex-col rounded-lg border border-line bg-panel shadow-low"
    >
      <div className="grid items-start gap-x-5 gap-y-3.5 px-4 py-3 empty:hidden md:grid-cols-2">
        {form.fields.map((field) => (
          <FieldControl
            key={field.name}
            field={field}
            value={draft[field.name] ?? ''}
            error={faults[field.name]}
            onChange={(value) => change(field.name, value)}
          />
        ))}
      </div>
      <div className="sticky -bottom-2 flex flex-wrap items-center gap-2 rounded-b-lg border-t border-line bg-panel px-4 py-2.5 first:border-t-0">
        <Button type="submit" variant="primary" shortcut="enter" className="max-md:h-9">
          Send
        </Button>
        <Button onClick={onDecline} className="max-md:h-9">
          Decline
        </Button>
        <Button variant="ghost" shortcut="escape" onClick={onLeave} className="max-md:h-9">
          Go back
        </Button>
        {command && <CliCommand command={command} />}
      </div>
    </form>
  );
}

/** A date that is typed in part is no value at all to its field, which knows that. */
function incomplete(form: HTMLFormElement | null): Record<string, string> {
  const inputs = [...(form?.querySelectorAll('input') ?? [])];
  const bad = inputs.filter((input) => input.validity.badInput);
  return Object.fromEntries(bad.map(({ name }) => [name, 'Complete it, or clear it.']));
}

function focusFirst(form: HTMLFormElement | null, what: string): void {
  form?.querySelector<HTMLElement>(what)?.focus();
}
