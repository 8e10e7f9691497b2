import { useEffect, useEffectEvent, useId } from 'react';
import { registerShortcut, type Shortcut } from '@/lib/keys';

type Options = Omit<Shortcut, 'id' | 'handler'> & {
  /** Bound only while this holds; so it also leaves the `?` overlay. */
  when?: boolean;
};

/** Binds a key while the component is shown: `useShortcut({ keys: 'a', label: 'Approve', group: 'Inbox' }, approve)`. */
export function useShortcut(options: Options, handler: (event: KeyboardEvent) => void): void {
  const { keys, label, group, inInputs = false, inDialogs = false, when = true } = options;
  const { repeats = false, onlyListed = false } = options;
  const id = useId();
  const run = useEffectEvent(handler);
  useEffect(() => {
    if (!when) return;
    return registerShortcut({
      id,
      keys,
      label,
      group,
      inInputs,
      inDialogs,
      repeats,
      onlyListed,
      handler: (event) => run(event),
    });
  }, [id, keys, label, group, inInputs, inDialogs, repeats, onlyListed, when]);
}

const nothing = () => {};

/** Lists a key that a part of the page hears itself while it has the focus. */
export function useListedKey(keys: string, label: string, group: string, when = true): void {
  useShortcut({ keys, label, group, when, onlyListed: true }, nothing);
}
