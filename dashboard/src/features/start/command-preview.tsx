import { CopyButton } from '@/ui/copy-button';
import type { Command } from './command-of';

type CommandPreviewProps = { command: Command };

/** The command that starts the same run, as it is typed. */
export function CommandPreview({ command: { line, notes } }: CommandPreviewProps) {
  return (
    <section aria-label="CLI command" className="flex min-w-0 flex-col gap-1.5">
      <h2 className="text-xs font-medium text-muted">CLI command</h2>
      <div className="flex items-start gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-2.5">
        <code
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          className="scroll-quiet max-h-48 min-w-0 flex-1 overflow-y-auto py-1 text-xs leading-5 wrap-anywhere whitespace-pre-wrap text-code-fg"
        >
          {line}
        </code>
        <CopyButton text={line} label="Copy command" />
      </div>
      {notes.map((note) => (
        <p key={note} className="text-xs text-muted">
          {note}
        </p>
      ))}
    </section>
  );
}
