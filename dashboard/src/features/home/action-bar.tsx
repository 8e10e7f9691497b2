import { useShortcut } from '@/lib/use-shortcut';
import type { InboxItem } from '@/model/inbox';
import type { Action } from '@/model/inbox-actions';
import { Button, type ButtonVariant } from '@/ui/button';
import { ItemCommands } from './item-commands';

type ActionBarProps = {
  item: InboxItem;
  isInScope: () => boolean;
  onAct: (action: Action) => void;
};

const quiet = new Set(['open', 'diff', 'dismiss', 'plan']);

export function ActionBar({ item, isInScope, onAct }: ActionBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      {item.actions.map((action, index) => (
        <ActionButton
          key={action.id}
          action={action}
          variant={variantOf(action, index)}
          isInScope={isInScope}
          onAct={() => onAct(action)}
        />
      ))}
      <ItemCommands item={item} />
    </div>
  );
}

function variantOf(action: Action, index: number): ButtonVariant {
  if (index === 0) return 'primary';
  if (action.id === 'cancel') return 'danger-quiet';
  return quiet.has(action.id) ? 'ghost' : 'secondary';
}

type ActionButtonProps = {
  action: Action;
  variant: ButtonVariant;
  isInScope: () => boolean;
  onAct: () => void;
};

function ActionButton({ action, variant, isInScope, onAct }: ActionButtonProps) {
  useShortcut(
    {
      keys: action.key ?? '',
      label: action.label,
      group: 'Needs you',
      when: action.key !== null,
    },
    () => {
      if (isInScope()) onAct();
    },
  );
  return (
    <Button
      variant={variant}
      onClick={onAct}
      {...(action.key ? { shortcut: action.key, 'aria-keyshortcuts': action.key } : {})}
      className="max-md:h-9"
    >
      {action.label}
    </Button>
  );
}
