import type { ReactNode } from 'react';
import { useShortcut } from '@/lib/use-shortcut';
import { Button, type ButtonVariant } from '@/ui/button';

export type BarAction = { id: string; label: string; key: string | null; variant: ButtonVariant };

type ActionBarProps<A extends BarAction> = {
  actions: readonly A[];
  /** Whether the keys mean these. */
  isInScope?: () => boolean;
  hasKeys?: boolean;
  size?: 'sm' | 'md';
  onAct: (action: A) => void;
  children?: ReactNode;
};

const always = () => true;

/** The ways to decide, each with its key. */
export function ActionBar<A extends BarAction>(props: ActionBarProps<A>) {
  const { actions, isInScope = always, hasKeys = true, size = 'md', onAct, children } = props;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {actions.map((action) => (
        <ActionButton
          key={action.id}
          action={hasKeys ? action : { ...action, key: null }}
          size={size}
          isInScope={isInScope}
          onAct={() => onAct(action)}
        />
      ))}
      {children}
    </div>
  );
}

type ActionButtonProps = {
  action: BarAction;
  size: 'sm' | 'md';
  isInScope: () => boolean;
  onAct: () => void;
};

function ActionButton({ action, size, isInScope, onAct }: ActionButtonProps) {
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
      size={size}
      variant={action.variant}
      onClick={onAct}
      {...(action.key ? { shortcut: action.key, 'aria-keyshortcuts': action.key } : {})}
      className="max-md:h-9"
    >
      {action.label}
    </Button>
  );
}
