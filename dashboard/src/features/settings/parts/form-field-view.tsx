import { ValueInput } from '@/features/settings/parts/value-input';
import { cn } from '@/lib/cn';
import { getAt, type JsonObject, type Path, pathText } from '@/model/settings/document-edit';
import type { FormField } from '@/model/settings/form-field';
import { messageAt, type Problem } from '@/model/settings/problems';
import { CodedText } from '@/ui/coded-text';
import { Field } from '@/ui/field';
import { Switch } from '@/ui/switch';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

type FormFieldViewProps = {
  field: FormField;
  document: JsonObject;
  problems: readonly Problem[];
  onChange: (path: Path, value: JsonValue) => void;
};

/** A field of a document: its name, its control, what it means, and what is wrong with it. */
export function FormFieldView({ field, document, problems, onChange }: FormFieldViewProps) {
  const { path, label, help, kind, isShort = false } = field;
  const at = pathText(path);
  const error = messageAt(problems, at);
  const value = getAt(document, path);
  const change = (next: JsonValue) => onChange(path, next);
  return (
    <div data-path={at} className={cn('scroll-mt-16', !isShort && 'sm:col-span-2')}>
      {kind.type === 'switch' ? (
        <Switch
          checked={value === true}
          onChange={change}
          label={label}
          hint={
            error ? (
              <span className="text-failed">
                <CodedText>{error}</CodedText>
              </span>
            ) : (
              help
            )
          }
        />
      ) : (
        <Field label={label} hint={help} error={error}>
          {(control) => <ValueInput {...control} kind={kind} value={value} onChange={change} />}
        </Field>
      )}
    </div>
  );
}
