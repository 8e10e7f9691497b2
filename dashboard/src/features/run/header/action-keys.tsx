import { useCommands } from '@/lib/commands';
import { useKeyGuard } from '@/lib/use-key-guard';
import { useShortcut } from '@/lib/use-shortcut';
import type { RunAction } from './use-run-actions';

/** The run's actions by key and in the palette; draws nothing. */
export function ActionKeys({ actions }: { actions: RunAction[] }) {
  useCommands(
    actions.map(({ id, label, keys, run }) => ({
      id: `run-${id}`,
      label,
      group: 'This run',
      ...(keys ? { hint: keys } : {}),
      run,
    })),
  );
  return actions.map((action) => <ActionKey key={action.id} action={action} />);
}

function ActionKey({ action }: { action: RunAction }) {
  const { keys = '', label, isPending, run } = action;
  const isInScope = useKeyGuard(action.id);
  useShortcut({ keys, label, group: 'This run', when: keys !== '' && !isPending }, () => {
    if (isInScope()) run();
  });
  return null;
}
