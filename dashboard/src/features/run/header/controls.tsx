import { Ellipsis, Terminal } from 'lucide-react';
import { copyText } from '@/lib/clipboard';
import { toast } from '@/lib/toast';
import { cli } from '@/model/cli';
import { Button } from '@/ui/button';
import { DropdownMenu, type MenuItem } from '@/ui/dropdown-menu';
import { IconButton } from '@/ui/icon-button';
import { ActionIcon } from './action-icon';
import type { ActionId, RunAction } from './use-run-actions';

type ControlsProps = { id: string; actions: RunAction[]; isNarrow: boolean };

/** Always at hand; everything else is in the menu, or in the strip that says why the run waits. */
const BUTTONS: ActionId[] = ['pause', 'step', 'continue', 'fork', 'cancel'];

export function Controls({ id, actions, isNarrow }: ControlsProps) {
  const shown = isNarrow ? [] : actions.filter((action) => BUTTONS.includes(action.id));
  const inMenu = actions.filter((action) => !shown.includes(action));
  const menu: MenuItem[] = [
    ...inMenu.map((action) => ({
      label: action.label,
      icon: <ActionIcon id={action.id} />,
      danger: action.id === 'cancel',
      ...(action.keys ? { shortcut: action.keys } : {}),
      onSelect: action.run,
    })),
    'separator',
    { heading: 'Copy as CLI command' },
    ...commands(id, actions).map(([label, command]) => ({
      label,
      icon: <Terminal />,
      onSelect: () => void copyCommand(command),
    })),
  ];
  return (
    <>
      {shown.map((action) => (
        <Button
          key={action.id}
          size="sm"
          variant={action.id === 'cancel' ? 'danger-quiet' : 'secondary'}
          icon={<ActionIcon id={action.id} />}
          loading={action.isPending}
          onClick={action.run}
          title={action.keys ? `Key: ${action.keys}` : undefined}
        >
          {action.label}
        </Button>
      ))}
      <DropdownMenu
        trigger={<IconButton aria-label="More actions" tooltip={false} icon={<Ellipsis />} />}
        items={menu}
      />
    </>
  );
}

function commands(id: string, actions: RunAction[]): [string, string][] {
  const own = actions.flatMap(({ label, cli: command }): [string, string][] =>
    command ? [[label, command]] : [],
  );
  return [
    ...own,
    ['Show', cli.show(id)],
    ['Follow the log', cli.follow(id)],
    ['Diff', cli.diff(id)],
  ];
}

async function copyCommand(command: string): Promise<void> {
  const isCopied = await copyText(command);
  toast({
    title: isCopied ? 'Command copied' : 'The browser did not allow copying',
    description: command,
  });
}
