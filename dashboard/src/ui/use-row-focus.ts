import type { KeyboardEvent, RefObject } from 'react';

// A row far away is drawn some frames after the scroll.
const framesToDraw = 20;

/** Moves the focus between the rows (`data-index`) of a virtual list by keyboard. */
export function useRowFocus(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  scrollTo: (index: number) => void,
): {
  focusIndex: (index: number) => void;
  focusedIndex: () => number | null;
  onKeyDown: (event: KeyboardEvent) => void;
} {
  const focusIndex = (index: number) => {
    // The focused row may vanish by the scroll; the list itself holds the focus meanwhile.
    scroller.current?.focus({ preventScroll: true });
    scrollTo(index);
    let left = framesToDraw;
    const step = () => {
      const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
      left -= 1;
      if (row) row.focus({ preventScroll: true });
      else if (left > 0) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  };

  const focusedIndex = () => {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]');
    return row && scroller.current?.contains(row) ? Number(row.dataset.index) : null;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    const row = target?.dataset.index;
    if (!target || (target !== scroller.current && row === undefined)) return;
    const next = nextRow(event.key, row === undefined ? -1 : Number(row), count);
    if (next === null) return;
    event.preventDefault();
    focusIndex(next);
  };
  return { focusIndex, focusedIndex, onKeyDown };
}

function nextRow(key: string, from: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return Math.min(from + 1, count - 1);
  if (key === 'ArrowUp') return from < 0 ? count - 1 : Math.max(from - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return null;
}
