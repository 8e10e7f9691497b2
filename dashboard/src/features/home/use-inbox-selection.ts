import { type RefObject, useEffect, useRef, useState } from 'react';
import type { InboxItem } from '@/model/inbox/inbox';

type SelectedItem = { id: string; index: number };

/** How long a key waits after the item under it has changed by itself. */
const SURPRISE = 600;

export type Selection = {
  current: string | null;
  /** Moves there; with `focus`, the keyboard goes along. */
  pick: (id: string, focus?: boolean) => void;
  move: (by: number) => void;
  /** The keyboard goes to the current item. */
  focus: () => void;
  /** The change that comes is the person's own: the next item may be answered at once. */
  expectChange: () => void;
  /** Whether keys mean the current item: nothing else has the focus, and it has not just changed. */
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
  const surprisedAt = useRef(0);
  const isExpected = useRef(true);
  const wantsFocus = useRef(false);

  useEffect(() => {
    // What the page opens with surprises no one.
    if (isLoading) return;
    surprisedAt.current = isExpected.current ? 0 : performance.now();
    isExpected.current = false;
    if (wantsFocus.current) focusItem(place.current, current);
    wantsFocus.current = false;
  }, [current, place, isLoading]);

  const pick = (id: string, focus = false) => {
    isExpected.current = true;
    wantsFocus.current = focus;
    setPicked({ id, index: items.findIndex((item) => item.id === id) });
  };

  return {
    current: current ?? null,
    pick,
    move: (by) => {
      const at = items.findIndex((item) => item.id === current);
      const next = items[Math.min(Math.max(at + by, 0), items.length - 1)];
      if (next) pick(next.id, true);
    },
    focus: () => focusItem(place.current, current),
    expectChange: () => {
      isExpected.current = true;
      wantsFocus.current = true;
      const index = items.findIndex((item) => item.id === current);
      // One that comes back because it was refused does not take the keys from the next.
      const next = items[index + 1] ?? items[index - 1] ?? items[index];
      if (next) setPicked({ id: next.id, index });
    },
    isInScope: () => {
      const focused = document.activeElement;
      const isFree = !focused || focused === document.body || focused.id === 'main';
      const isHere = place.current?.contains(focused) ?? false;
      return (isFree || isHere) && performance.now() - surprisedAt.current > SURPRISE;
    },
  };
}

function focusItem(place: HTMLElement | null, id: string | undefined): void {
  const items = place?.querySelectorAll<HTMLElement>('[data-item]') ?? [];
  [...items].find((item) => item.dataset.item === id)?.focus();
}
