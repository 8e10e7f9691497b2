import { Field } from '@/ui/field';
import { Input } from '@/ui/input';

type InputFieldsProps = {
  names: readonly string[];
  values: Readonly<Record<string, string>>;
  onChange: (values: Record<string, string>) => void;
};

/** A field for every value that the workflow reads and that no node sets. */
export function InputFields({ names, values, onChange }: InputFieldsProps) {
  return names.map((name) => (
    <Field key={name} label={<code>{name}</code>} hint="Text, or a value in JSON.">
      {(control) => (
        <Input
          {...control}
          value={values[name] ?? ''}
          onChange={(event) => onChange({ ...values, [name]: event.target.value })}
        />
      )}
    </Field>
  ));
}
