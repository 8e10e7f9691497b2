import { shown } from '@/lib/visible';

type MessagePreviewProps = { text: string };

/** Exactly what goes out. */
export function MessagePreview({ text }: MessagePreviewProps) {
  return (
    <div>
      <p className="mb-1 text-sm font-medium">Message preview</p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="scroll-quiet max-h-60 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 text-xs leading-5 wrap-anywhere whitespace-pre-wrap text-code-fg"
      >
        {text === '' ? 'Nothing yet.' : shown(text)}
      </pre>
    </div>
  );
}
