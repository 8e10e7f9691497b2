import { ArrowUp, Plus, Trash2 } from 'lucide-react';
import { ValueInput } from '@/features/settings/parts/value-input';
import { FormSection } from '@/features/settings/profiles/form-section';
import type { ProfileDraft } from '@/features/settings/profiles/use-profile-draft';
import { getAt, isObject } from '@/model/settings/document-edit';
import type { Kind } from '@/model/settings/form-field';
import { messageAt } from '@/model/settings/problems';
import { freeName } from '@/model/settings/profile-document';
import { Button } from '@/ui/button';
import { IconButton } from '@/ui/icon-button';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

type ChecksEditorProps = { draft: ProfileDraft };

const columns: { name: string; label: string; kind: Kind; className: string }[] = [
  { name: 'name', label: 'Name', kind: { type: 'text' }, className: 'sm:w-32 sm:shrink-0' },
  {
    name: 'command',
    label: 'Command',
    kind: { type: 'text', mono: true, placeholder: 'cargo test' },
    className: 'min-w-0 flex-1',
  },
  {
    name: 'timeout',
    label: 'Timeout',
    kind: { type: 'number', above: 0, whole: true, unit: 's' },
    className: 'sm:w-24 sm:shrink-0',
  },
];

const nameOf = (check: JsonValue) =>
  isObject(check) && typeof check.name === 'string' ? check.name : '';

/** What Amelia itself runs before every review, in order. */
export function ChecksEditor({ draft }: ChecksEditorProps) {
  const list = getAt(draft.draft, ['checks']);
  const checks = Array.isArray(list) ? list : [];
  const add = () => {
    const name = freeName('test', checks.map(nameOf));
    draft.set(['checks', checks.length], { name, command: '', timeout: 600 });
  };
  const raise = (index: number) => {
    const next = [...checks];
    next.splice(index - 1, 0, ...next.splice(index, 1));
    draft.set(['checks'], next);
  };
  return (
    <FormSection
      id="checks"
      title="Checks"
      help="Amelia runs these before every review. The developer fixes what fails."
      actions={
        <Button size="sm" icon={<Plus />} onClick={add}>
          Add check
        </Button>
      }
    >
      {checks.length === 0 && (
        <p className="text-sm text-muted">
          No checks: the work is reviewed, but nothing proves that it runs. Add your tests.
        </p>
      )}
      <ol className="flex flex-col gap-3">
        {checks.map((check, index) => {
          const error = messageAt(draft.problems, `checks[${index}]`);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a check is known by its place.
            <li key={index} data-path={`checks[${index}]`}>
              <div className="flex flex-col gap-1.5 sm:flex-row sm:items-center">
                {columns.map((column) => (
                  <div key={column.name} className={column.className}>
                    <ValueInput
                      kind={column.kind}
                      aria-label={`${column.label} of check ${index + 1}`}
                      aria-invalid={error !== undefined}
                      value={getAt(check, [column.name])}
                      onChange={(value) => draft.set(['checks', index, column.name], value)}
                    />
                  </div>
                ))}
                <div className="flex shrink-0 max-sm:justify-end">
                  <IconButton
                    aria-label={`Move check ${index + 1} up`}
                    disabled={index === 0}
                    icon={<ArrowUp />}
                    onClick={() => raise(index)}
                  />
                  <IconButton
                    aria-label={`Remove check ${index + 1}`}
                    icon={<Trash2 />}
                    onClick={() => draft.remove(['checks', index])}
                  />
                </div>
              </div>
              {error && <p className="mt-1 text-xs text-failed">{error}</p>}
            </li>
          );
        })}
      </ol>
    </FormSection>
  );
}
