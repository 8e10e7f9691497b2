import { TriangleAlert } from 'lucide-react';
import { cn } from '@/lib/cn';
import {
  knownPrompts,
  templateParts,
  unknownVariables,
  variablesOf,
} from '@/model/settings/prompt-template';
import { Badge } from '@/ui/badge';

type PromptPreviewProps = { name: string; text: string };

const looks = {
  text: '',
  value: 'rounded-sm bg-accent-soft px-1 font-mono text-xs text-accent-text',
  tag: 'font-mono text-2xs text-subtle',
  note: 'font-mono text-2xs text-subtle italic',
};

/** What a run fills in, and how the text reads with it. */
export function PromptPreview({ name, text }: PromptPreviewProps) {
  const given = knownPrompts[name]?.values ?? [];
  const used = variablesOf(text);
  const unknown = unknownVariables(name, text);
  const parts = templateParts(text);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h2 className="text-sm font-medium">Preview</h2>
      <section
        aria-label="Prompt preview"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="scroll-quiet max-h-140 overflow-y-auto rounded-md border border-line bg-panel focus-visible:-outline-offset-2"
      >
        <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-3 py-2">
          <span className="text-xs text-muted">Variables</span>
          {given.map((one) => (
            <Badge key={one} mono tone={used.includes(one) ? 'accent' : 'outline'}>
              {one}
              {!used.includes(one) && <span className="sr-only"> (not used)</span>}
            </Badge>
          ))}
          {given.length === 0 && <span className="text-xs">unknown</span>}
        </div>
        {unknown.length > 0 && (
          <p className="flex items-start gap-1.5 border-b border-line bg-needs-you-soft px-3 py-2 text-xs">
            <TriangleAlert aria-hidden className="mt-px size-4 shrink-0 text-needs-you" />
            <span>
              Unknown variable: <code>{unknown.join(', ')}</code>. It stays empty.
            </span>
          </p>
        )}
        <p className="px-3 py-2.5 leading-6 wrap-anywhere whitespace-pre-wrap">
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is known by its place.
            <span key={index} className={cn(looks[part.kind])}>
              {part.kind === 'value' ? part.name : part.text}
            </span>
          ))}
        </p>
      </section>
    </div>
  );
}
