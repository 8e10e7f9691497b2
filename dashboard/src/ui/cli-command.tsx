import { Terminal } from 'lucide-react';
import { CommandBox } from '@/ui/command-box';
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
      <CommandBox command={command} />
    </Popover>
  );
}
