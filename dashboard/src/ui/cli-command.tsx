import { Terminal } from 'lucide-react';
import { CopyButton } from '@/ui/copy-button';
import { IconButton } from '@/ui/icon-button';
import { Popover } from '@/ui/popover';

type CliCommandProps = {
  /** The whole command line that does the same. */
  command: string;
  label?: string;
  size?: 'sm' | 'md';
};

/** The same action for the terminal: a button that shows the command and copies it. */
export function CliCommand(props: CliCommandProps) {
  const { command, label = 'Copy as CLI command', size = 'md' } = props;
  return (
    <Popover
      label={label}
      align="end"
      className="w-110"
      trigger={<IconButton aria-label={label} tooltip={false} size={size} icon={<Terminal />} />}
    >
      <p className="mb-1.5 text-xs text-muted">Run this in a terminal instead:</p>
      <div className="flex items-start gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-2.5">
        <code className="min-w-0 flex-1 py-1 text-xs wrap-anywhere whitespace-pre-wrap text-code-fg">
          {command}
        </code>
        <CopyButton text={command} label="Copy command" />
      </div>
    </Popover>
  );
}
