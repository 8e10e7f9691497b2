import { useEffect, useEffectEvent, useId } from 'react';
import { registerShortcut, type Shortcut } from '@/lib/keys';

type Options = Omit<Shortcut, 'id' | 'handler'> & {
  /** Bound only while this holds; so it also leaves the `?` overlay. */
  when?: boolean;
};

/** Binds a key while the component is shown: `useShortcut({ keys: 'a', label: 'Approve', group: 'Inbox' }, approve)`. */
export function useShortcut(options: Options, handler: (event: KeyboardEvent) => void): void {
  const { keys, label, group, inInputs = false, inDialogs = false, when = true } = options;
  const { repeats = false } = options;
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
      handler: (event) => run(event),
    });
  }, [id, keys, label, group, inInputs, inDialogs, repeats, when]);
}
