import { useState } from 'react';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Markdown } from '@/ui/markdown';
import { SegmentedControl } from '@/ui/segmented-control';
import { Textarea } from '@/ui/textarea';
import { type Form, idOf } from './form';

/** The work in the person's own words. */
export function TextFields(props: Form) {
  const { draft, change, errorOf } = props;
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_9rem]">
        <Field label="Title" id={idOf('title')} error={errorOf('title')}>
          {(control) => (
            <Input
              {...control}
              value={draft.title}
              onChange={(event) => change({ title: event.target.value })}
              placeholder="The task in one line"
            />
          )}
        </Field>
        <Field label="Key" optional id={idOf('issue')} error={errorOf('issue')}>
          {(control) => (
            <Input
              {...control}
              mono
              value={draft.issue}
              onChange={(event) => change({ issue: event.target.value, issueTitle: '' })}
              placeholder="PROJ-12"
            />
          )}
        </Field>
      </div>
      <Description {...props} />
    </div>
  );
}

function Description({ draft, change, errorOf }: Form) {
  const [shown, setShown] = useState<'write' | 'preview'>('write');
  const error = errorOf('description');
  const id = idOf('description');
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <label htmlFor={id} className="text-sm font-medium">
          Description
        </label>
        <span className="text-xs text-subtle">optional, Markdown</span>
        <SegmentedControl
          label="Description view"
          className="ml-auto h-7"
          value={shown}
          onChange={setShown}
          segments={[
            { value: 'write', label: 'Write' },
            { value: 'preview', label: 'Preview' },
          ]}
        />
      </div>
      {shown === 'write' ? (
        <Textarea
          id={id}
          aria-invalid={error ? true : undefined}
          minRows={6}
          maxRows={24}
          value={draft.description}
          onChange={(event) => change({ description: event.target.value })}
          placeholder="Details: current behavior, expected behavior, where to look."
        />
      ) : (
        <div
          id={id}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          className="scroll-quiet max-h-120 min-h-33 overflow-y-auto rounded-md border border-line bg-sunken/50 px-3 py-2"
        >
          {draft.description.trim() === '' ? (
            <p className="text-sm text-muted">Nothing to preview.</p>
          ) : (
            <Markdown text={draft.description} />
          )}
        </div>
      )}
      {error && <p className="text-xs text-failed">{error}</p>}
    </div>
  );
}
