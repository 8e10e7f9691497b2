import { useState } from 'react';
import { isSame } from '@/model/settings/document-edit';
import { Textarea } from '@/ui/textarea';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

type JsonInputProps = {
  value: JsonValue | undefined;
  onChange: (value: JsonValue) => void;
  disabled?: boolean;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
};

const textOf = (value: JsonValue | undefined) =>
  value === undefined
    ? ''
    : JSON.stringify(value, null, value && typeof value === 'object' ? 2 : 0);

function read(text: string): { value: JsonValue } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Any value, as JSON. It counts as soon as it can be read. */
export function JsonInput({ value, onChange, ...native }: JsonInputProps) {
  const [text, setText] = useState(textOf(value));
  const [typing, setTyping] = useState(false);
  const parsed = read(text);
  const isOwn = typing || (parsed !== null && isSame(parsed.value, value));
  return (
    <div>
      <Textarea
        {...native}
        mono
        minRows={1}
        spellCheck={false}
        value={isOwn ? text : textOf(value)}
        onFocus={() => {
          setText(textOf(value));
          setTyping(true);
        }}
        onBlur={() => setTyping(false)}
        onChange={(event) => {
          setText(event.target.value);
          const next = read(event.target.value);
          if (next) onChange(next.value);
        }}
      />
      {typing && parsed === null && (
        <p role="status" className="mt-1 text-xs text-failed">
          This is not JSON yet; the value before it is kept.
        </p>
      )}
    </div>
  );
}
