import { X } from 'lucide-react';
import { useState } from 'react';
import { Input } from '@/ui/input';

type WordsInputProps = {
  values: readonly string[];
  onChange: (values: string[]) => void;
  /** What one of them is called: "host". */
  item: string;
  placeholder?: string;
  disabled?: boolean;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
};

/** Short texts as chips. Several can be pasted at once, with spaces, commas or lines between. */
export function WordsInput(props: WordsInputProps) {
  const { values, onChange, item, placeholder, disabled = false, ...aria } = props;
  const [fresh, setFresh] = useState('');
  const add = () => {
    const words = fresh.split(/[\s,]+/).filter((word) => word !== '' && !values.includes(word));
    if (words.length > 0) onChange([...values, ...new Set(words)]);
    setFresh('');
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
      <Input
        {...aria}
        mono
        spellCheck={false}
        autoComplete="off"
        disabled={disabled}
        value={fresh}
        placeholder={placeholder ? `Add a ${item}: ${placeholder}` : `Add a ${item}`}
        onChange={(event) => setFresh(event.target.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === ',') {
            event.preventDefault();
            add();
          } else if (event.key === 'Backspace' && fresh === '') onChange(values.slice(0, -1));
        }}
      />
    </div>
  );
}
