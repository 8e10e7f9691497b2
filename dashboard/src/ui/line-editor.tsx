import type { KeyboardEvent, Ref } from 'react';
import { cn } from '@/lib/cn';

type LineEditorProps = {
  label: string;
  text: string;
  onChange: (text: string) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  /** Numbers of lines to emphasize, because something is wrong there. */
  marked?: ReadonlySet<number>;
  'aria-describedby'?: string;
  ref?: Ref<HTMLTextAreaElement>;
};

/** Text to edit, as long as it is, with the numbers of its lines. */
export function LineEditor({ label, text, onChange, marked, ref, ...aria }: LineEditorProps) {
  const lines = text.split('\n').length;
  return (
    <div className="scroll-quiet flex overflow-x-auto rounded-lg border border-line bg-panel py-2 font-mono text-xs leading-5 focus-within:border-focus">
      <div
        aria-hidden
        className="tabular sticky left-0 flex flex-col bg-panel px-3 text-right text-subtle select-none"
      >
        {Array.from({ length: lines }, (_, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number.
            key={index}
            className={cn(marked?.has(index + 1) && 'font-semibold text-failed')}
          >
            {index + 1}
          </span>
        ))}
      </div>
      <textarea
        ref={ref}
        aria-label={label}
        aria-invalid={(marked?.size ?? 0) > 0 || undefined}
        {...aria}
        value={text}
        rows={lines}
        spellCheck={false}
        wrap="off"
        onChange={(event) => onChange(event.target.value)}
        className="min-w-0 flex-1 resize-none overflow-x-auto overflow-y-hidden bg-transparent pr-3 whitespace-pre text-code-fg outline-none [font-variant-ligatures:none]"
      />
    </div>
  );
}
