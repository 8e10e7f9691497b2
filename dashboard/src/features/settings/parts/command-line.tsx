import { CopyButton } from '@/ui/copy-button';

type CommandLineProps = { command: string; about?: string };

/** A command for the terminal, to copy. */
export function CommandLine({ command, about }: CommandLineProps) {
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2.5">
      <code className="min-w-0 flex-1 py-1 text-xs wrap-anywhere text-code-fg">{command}</code>
      {about && <span className="text-xs text-muted max-sm:hidden">{about}</span>}
      <CopyButton text={command} label={`Copy ${command}`} />
    </div>
  );
}
