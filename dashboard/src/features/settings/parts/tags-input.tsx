import { X } from 'lucide-react';
import { AddInput, type AddInputProps } from '@/features/settings/parts/add-input';

type TagsInputProps = AddInputProps & {
  values: readonly string[];
  onChange: (values: string[]) => void;
};

/** Short texts as chips. Several can be pasted at once, with spaces, commas or lines between. */
export function TagsInput(props: TagsInputProps) {
  const { values, onChange, ...adding } = props;
  const { item, disabled = false } = adding;
  const add = (text: string) => {
    const words = text.split(/[\s,]+/).filter((word) => word !== '' && !values.includes(word));
    if (words.length > 0) onChange([...values, ...new Set(words)]);
  };
  return (
    <div className="flex flex-col gap-1.5">
      {values.length > 0 && (
        <ul className="flex flex-wrap gap-1">
          {values.map((value, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a document may hold a word twice.
              key={index}
              className="flex h-6 items-center gap-0.5 rounded-sm bg-pressed/70 pr-0.5 pl-2 font-mono text-xs"
            >
              {value}
              <button
                type="button"
                aria-label={`Remove ${item} ${value}`}
                disabled={disabled}
                className="flex size-5 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-fg focus-visible:-outline-offset-1 disabled:opacity-55"
                onClick={() => onChange(values.filter((_, at) => at !== index))}
              >
                <X aria-hidden className="size-3" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <AddInput
        {...adding}
        onAdd={add}
        endsWith=","
        onBackspace={() => onChange(values.slice(0, -1))}
      />
    </div>
  );
}
