import { useState } from 'react';
import { typedNumber } from '@/model/settings/form-field';
import { Input } from '@/ui/input';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

type NumberInputProps = {
  value: JsonValue | undefined;
  onChange: (value: JsonValue) => void;
  optional?: boolean;
  unit?: string;
  placeholder?: string;
  disabled?: boolean;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
};

const shownAs = (value: JsonValue | undefined) =>
  value === null || value === undefined ? '' : String(value);

/** A number as it is typed: `1.` stays `1.` until the next key. What is no number is kept, and told to be wrong. */
export function NumberInput(props: NumberInputProps) {
  const { value, onChange, optional = false, unit, ...native } = props;
  const [text, setText] = useState(shownAs(value));
  const isOwn = typedNumber(text, optional) === (value ?? (optional ? null : ''));
  return (
    <Input
      {...native}
      mono
      inputMode="decimal"
      autoComplete="off"
      value={isOwn ? text : shownAs(value)}
      {...(unit ? { trailing: unit } : {})}
      onChange={(event) => {
        setText(event.target.value);
        onChange(typedNumber(event.target.value, optional));
      }}
    />
  );
}
