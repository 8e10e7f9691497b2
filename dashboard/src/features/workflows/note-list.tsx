import { Info } from 'lucide-react';
import { wordsOf } from '@/model/workflows/definition';
import { CodedText } from '@/ui/coded-text';
import type { DefinitionProblem } from '@/wire/DefinitionProblem';

/** What a text says that is allowed, and has no effect. */
export function NoteList({ notes }: { notes: readonly DefinitionProblem[] }) {
  if (notes.length === 0) return null;
  return (
    <ul aria-label="Notes" className="flex flex-col gap-1 text-xs text-muted">
      {notes.map((note) => (
        <li key={wordsOf(note)} className="flex items-start gap-1.5">
          <Info aria-hidden className="mt-px size-3.5 shrink-0" />
          <span className="min-w-0 text-pretty wrap-anywhere">
            <CodedText>{wordsOf(note)}</CodedText>
          </span>
        </li>
      ))}
    </ul>
  );
}
