import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import {
  BREAKPOINT_KINDS,
  type BreakpointDraft,
  type BreakpointKind,
  breakpointText,
  kindInfo,
} from '@/model/team/breakpoints';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import { SuggestInput } from '@/ui/suggest-input';
import type { BreakpointNames } from './use-breakpoint-names';

type BreakpointFormProps = {
  names: BreakpointNames;
  isSaving: boolean;
  onAdd: (text: string, clear: () => void) => void;
};

const EMPTY: BreakpointDraft = { kind: 'agent', name: '', condition: '' };
const kinds = BREAKPOINT_KINDS.map(({ kind, label }) => ({ value: kind, label }));

/** A new breakpoint: where, what it is about, and when. */
export function BreakpointForm({ names, isSaving, onAdd }: BreakpointFormProps) {
  const [draft, setDraft] = useState(EMPTY);
  const text = breakpointText(draft);
  const info = kindInfo(draft.kind);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text !== null && !isSaving) onAdd(text, () => setDraft({ ...EMPTY, kind: draft.kind }));
  };
  const suggestions = (names[draft.kind] ?? []).filter((name) => name.includes(draft.name));
  return (
    <form onSubmit={submit} className="grid gap-3 border-t border-line pt-4 md:grid-cols-2">
      <Field label="Stop">
        {(control) => (
          <Select<BreakpointKind>
            {...control}
            value={draft.kind}
            onChange={(kind) => setDraft({ ...draft, kind, name: '' })}
            options={kinds}
          />
        )}
      </Field>
      {info && info.names !== null && (
        <Field label={info.names}>
          {(control) => (
            <SuggestInput
              {...control}
              mono
              value={draft.name}
              onChange={(name) => setDraft({ ...draft, name })}
              placeholder={info.example}
              suggestions={suggestions.map((value) => ({ value }))}
            />
          )}
        </Field>
      )}
      <Field
        label="Condition"
        optional
        className="md:col-span-2"
        hint="An expression, as in workflows: `cost_usd > 0.5`, `last.contains('FAILED')`."
      >
        {(control) => (
          <Input
            {...control}
            mono
            spellCheck={false}
            value={draft.condition}
            onChange={(event) => setDraft({ ...draft, condition: event.target.value })}
          />
        )}
      </Field>
      <div className="flex flex-wrap items-center gap-3 md:col-span-2">
        <Button
          type="submit"
          variant="primary"
          icon={<Plus />}
          loading={isSaving}
          disabled={text === null}
        >
          Add
        </Button>
        {text !== null && <code className="min-w-0 text-xs wrap-anywhere text-muted">{text}</code>}
      </div>
    </form>
  );
}
