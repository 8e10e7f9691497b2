import { type RefObject, useEffect, useRef, useState } from 'react';
import { KeyGuard } from '@/lib/key-guard';
import type { InboxItem } from '@/model/inbox/inbox';

type SelectedItem = { id: string; index: number };

export type Selection = {
  current: string | null;
  pick: (id: string) => void;
  /** Moves on by so many; the keyboard goes along. */
  move: (by: number) => void;
  /** The keyboard goes to the current item. */
  focus: () => void;
  /** The current item is answered: the next one becomes current. */
  advance: () => void;
  /** Whether keys mean this list: nothing else has the focus. */
  hasKeys: () => boolean;
  /** Whether keys may decide about the current item: it has not just changed or moved. */
  isInScope: () => boolean;
};

/** Which item the keys mean. Kept by name, so that what arrives does not push it away. */
export function useInboxSelection(
  items: readonly InboxItem[],
  place: RefObject<HTMLElement | null>,
  isLoading: boolean,
): Selection {
  const [picked, setPicked] = useState<SelectedItem | null>(null);
  const isThere = items.some((item) => item.id === picked?.id);
  // When it has left, the one that took its place.
  const current = isThere ? picked?.id : items[Math.min(picked?.index ?? 0, items.length - 1)]?.id;
  const index = items.findIndex((item) => item.id === current);
  const [guard] = useState(() => new KeyGuard());
  /** The item that the user chose, until it is current. */
  const chosen = useRef<string | null>(null);
  const isOpening = useRef(true);
  const wantsFocus = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: an item that moves is not where it was looked at.
  useEffect(() => {
    // What the page opens with surprises no one.
    if (isLoading) return;
    if (isOpening.current || chosen.current === current) guard.disarm();
    else guard.arm();
    isOpening.current = false;
    chosen.current = null;
    if (wantsFocus.current) focusItem(place.current, current);
    wantsFocus.current = false;
  }, [current, index, place, isLoading, guard]);

  const select = (id: string) =>
    setPicked({ id, index: items.findIndex((item) => item.id === id) });
  const hasKeys = () => {
    const focused = document.activeElement;
    const isFree = !focused || focused === document.body || focused.id === 'main';
    return isFree || (place.current?.contains(focused) ?? false);
  };

  return {
    current: current ?? null,
    pick: (id) => {
      if (id !== current) chosen.current = id;
      select(id);
    },
    move: (by) => {
      const next = items[Math.min(Math.max(index + by, 0), items.length - 1)];
      if (!next || next.id === current) return;
      // Right after a change, also this key may have been meant for something else.
      if (guard.allows()) chosen.current = next.id;
      wantsFocus.current = true;
      select(next.id);
    },
    focus: () => focusItem(place.current, current),
    advance: () => {
      wantsFocus.current = true;
      // One that comes back because it was refused does not take the keys from the next.
      const next = items[index + 1] ?? items[index - 1] ?? items[index];
      if (next) setPicked({ id: next.id, index });
    },
    hasKeys,
    isInScope: () => hasKeys() && guard.allows(),
  };
}

function focusItem(place: HTMLElement | null, id: string | undefined): void {
  const items = place?.querySelectorAll<HTMLElement>('[data-item]') ?? [];
  [...items].find((item) => item.dataset.item === id)?.focus();
}
