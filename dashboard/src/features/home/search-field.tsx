import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useShortcut } from '@/lib/use-shortcut';
import { Input } from '@/ui/input';
import { Kbd } from '@/ui/kbd';

type SearchFieldProps = { text: string; onChange: (text: string) => void };

/** The longest pause between two typed letters. */
const DEBOUNCE_MS = 150;

/** What is typed shows at once; the address and the search follow. */
export function SearchField({ text, onChange }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [typed, setTyped] = useState(text);
  const [lastText, setLastText] = useState(text);
  useShortcut({ keys: '/', label: 'Search runs', group: 'Runs' }, () => field.current?.focus());
  useEffect(() => () => clearTimeout(timer.current), []);

  // The address was changed elsewhere: by a link, the back button, "Clear".
  if (text !== lastText) {
    setLastText(text);
    if (text !== typed.trim()) setTyped(text);
  }

  const type = (next: string, pause = DEBOUNCE_MS) => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(next.trim()), pause);
  };

  return (
    <div className="min-w-36 flex-1 max-md:basis-full md:max-w-60">
      <Input
        ref={field}
        type="search"
        aria-label="Search runs"
        placeholder="Search runs"
        icon={<Search />}
        trailing={<Kbd keys="/" className="max-md:hidden" />}
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          type('', 0);
          event.currentTarget.blur();
        }}
      />
    </div>
  );
}
