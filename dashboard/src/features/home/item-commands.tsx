import { Terminal } from 'lucide-react';
import { proposedLimit } from '@/model/inbox/action-form';
import { commandOf } from '@/model/inbox/actions';
import type { InboxItem } from '@/model/inbox/inbox';
import { CopyButton } from '@/ui/copy-button';
import { IconButton } from '@/ui/icon-button';
import { Popover } from '@/ui/popover';

type ItemCommandsProps = { item: InboxItem };

/** The same decisions from the terminal. */
export function ItemCommands({ item }: ItemCommandsProps) {
  const commands = item.actions.flatMap(({ id, label }) => {
    const command = commandOf(item, id, '', proposedLimit(item));
    return command ? [{ label, command }] : [];
  });
  return (
    <Popover
      label="CLI commands"
      align="end"
      className="w-110 max-w-[calc(100vw-2rem)]"
      trigger={
        <IconButton
          aria-label="Copy as CLI command"
          tooltip={false}
          icon={<Terminal />}
          className="ml-auto max-md:hidden"
        />
      }
    >
      <p className="mb-2 text-xs text-muted">Run these in a terminal instead:</p>
      <dl className="flex flex-col gap-2">
        {commands.map(({ label, command }) => (
          <div key={label}>
            <dt className="mb-0.5 text-xs font-medium">{label}</dt>
            <dd className="flex items-start gap-1 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2">
              <code className="min-w-0 flex-1 py-1 text-xs wrap-anywhere text-code-fg">
                {command}
              </code>
              <CopyButton text={command} label={`Copy command: ${label}`} />
            </dd>
          </div>
        ))}
      </dl>
    </Popover>
  );
}
