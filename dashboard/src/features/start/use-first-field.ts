import { useEffect } from 'react';
import { isTyping } from '@/lib/keys';
import { idOf } from './form';

/** The title, or the issue in its place, has the focus as soon as it is known which of them there is. */
export function useFirstField(edition: number, isKnown: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a fresh form begins at its first field again.
  useEffect(() => {
    const focused = document.activeElement;
    if (!isKnown || (focused instanceof HTMLElement && isTyping(focused))) return;
    const ids = [idOf('title'), idOf('issue')];
    const field = ids.map((id) => document.getElementById(id)).find((one) => one !== null);
    field?.focus({ preventScroll: true });
  }, [edition, isKnown]);
}
