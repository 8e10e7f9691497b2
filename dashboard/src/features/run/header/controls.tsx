import { Ellipsis, Terminal } from 'lucide-react';
import { copyText } from '@/lib/clipboard';
import { toast } from '@/lib/toast';
import { cli } from '@/model/cli/cli';
import { proposedLimit } from '@/model/inbox/action-form';
import { commandOf } from '@/model/inbox/actions';
import type { InboxItem } from '@/model/inbox/inbox';
import { Button } from '@/ui/button';
import { DropdownMenu, type MenuItem } from '@/ui/dropdown-menu';
import { IconButton } from '@/ui/icon-button';
import { ActionIcon } from './action-icon';
import type { ActionId, RunAction } from './use-run-actions';

type ControlsProps = {
  /** The run in commands: `r12`. */
  shortId: string;
  actions: RunAction[];
  /** What needs a person: its answers are in the strip below. */
  asked: readonly InboxItem[];
  isNarrow: boolean;
};

/** Always at hand; everything else is in the menu, or in the strip that says why the run waits. */
const BUTTONS: ActionId[] = ['pause', 'step', 'intervene', 'fork', 'cancel'];

export function Controls({ shortId, actions, asked, isNarrow }: ControlsProps) {
  const isCancelBelow = asked.some((item) => item.actions.some((action) => action.id === 'cancel'));
  const isShown = (name: ActionId) =>
    BUTTONS.includes(name) && !(name === 'cancel' && isCancelBelow);
  const shown = isNarrow ? [] : actions.filter((action) => isShown(action.id));
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
    ...commands(shortId, actions, asked).map(([label, command]) => ({
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

function commands(
  run: string,
  actions: RunAction[],
  asked: readonly InboxItem[],
): [string, string][] {
  const answers = asked.flatMap((item) =>
    item.actions
      .filter((action) => action.id !== 'open' && action.id !== 'diff')
      .flatMap((action): [string, string][] => {
        const command = commandOf(item, action.id, '', proposedLimit(item));
        return command ? [[action.label, command]] : [];
      }),
  );
  const own = actions.flatMap(({ label, cli: command }): [string, string][] =>
    command ? [[label, command]] : [],
  );
  return [
    ...new Map([...answers, ...own]),
    ['Show', cli.show(run)],
    ['Follow log', cli.follow(run)],
    ['Diff', cli.diff(run)],
  ];
}

async function copyCommand(command: string): Promise<void> {
  const isCopied = await copyText(command);
  toast({
    title: isCopied ? 'Command copied' : 'Your browser blocked copying',
    description: command,
  });
}
