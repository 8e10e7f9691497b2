import { languageOf, promptParts } from '@/model/event/prompt-parts';
import { CodeBlock } from '@/ui/code-block';
import { Markdown } from '@/ui/markdown';

const MAX_HEIGHT = 320;

/** A prompt: Amelia's words, and what it passes on as it is, below the name of where that is from. */
export function PromptBody({ text }: { text: string }) {
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line bg-sunken px-3 py-2">
      {promptParts(text).map((part, index) =>
        part.type === 'words' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is known by its place.
          <Markdown key={index} text={part.text} className="text-xs" />
        ) : (
          <CodeBlock
            // biome-ignore lint/suspicious/noArrayIndexKey: a piece is known by its place.
            key={index}
            code={part.text}
            title={part.source}
            language={languageOf(part.text)}
            maxHeight={MAX_HEIGHT}
            wrap
          />
        ),
      )}
    </div>
  );
}
