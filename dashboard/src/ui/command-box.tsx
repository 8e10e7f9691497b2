import { CopyButton } from '@/ui/copy-button';

/** A command for the terminal, with a button that copies it. */
export function CommandBox({ command }: { command: string }) {
  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-2.5">
      <code className="min-w-0 flex-1 py-1 text-xs wrap-anywhere whitespace-pre-wrap text-code-fg">
        {command}
      </code>
      <CopyButton text={command} label="Copy command" />
    </div>
  );
}
