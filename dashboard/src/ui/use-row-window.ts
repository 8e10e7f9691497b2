import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Align, type RowSource, RowWindow } from '@/ui/row-window';

type ScrollTarget = { index: number; align: Align; tries: number };

const TRIES = 8;

/** The rows of a scroller that are worth drawing. While it is `sticking`, those are the last ones, wherever it was before. */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  sticking: RefObject<boolean>,
  source: RowSource,
  overscan: number,
) {
  const [rows] = useState(() => new RowWindow());
  const [place, setPlace] = useState({ top: 0, height: 800 });
  const [, redraw] = useState(0);
  /** Where it really is. At the end that draws nothing; but a reader who leaves the end starts from there. */
  const scrolled = useRef(0);
  const wanted = useRef<ScrollTarget | null>(null);
  const elements = useRef(new Set<HTMLElement>());
  const observer = useRef<ResizeObserver | null>(null);
  const latest = useRef(source);
  latest.current = source;
  rows.sync(source);

  const look = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop, clientHeight: height } = element;
    scrolled.current = scrollTop;
    setPlace((before) => {
      const top = sticking.current ? before.top : scrollTop;
      return before.top === top && before.height === height ? before : { top, height };
    });
  }, [scroller, sticking]);

  /** Takes the heights of these rows; what stands above the view moves the view along. */
  const measure = useCallback(
    (list: Iterable<HTMLElement>, onlyNew: boolean) => {
      const element = scroller.current;
      if (!element) return;
      const { count, itemKey } = latest.current;
      let moved = 0;
      let isChanged = false;
      const top = element.scrollTop;
      for (const row of list) {
        const index = Number(row.dataset.index);
        if (index >= count) continue;
        const key = itemKey(index);
        if (onlyNew && rows.isMeasured(key)) continue;
        const start = rows.startOf(index);
        const delta = rows.measure(index, key, row.offsetHeight);
        if (delta !== 0) isChanged = true;
        if (start < top) moved += delta;
      }
      if (!isChanged) return;
      // At the end, what stands there stays: the same height in all would not bring the view back.
      if (moved !== 0 && !wanted.current && !sticking.current) element.scrollTop = top + moved;
      redraw((tick) => tick + 1);
    },
    [scroller, sticking, rows],
  );

  useLayoutEffect(() => {
    measure(elements.current, true);
    const element = scroller.current;
    const want = wanted.current;
    if (!want || !element) return;
    const top = rows.scrollFor(want.index, want.align, element.scrollTop, element.clientHeight);
    const end = element.scrollHeight - element.clientHeight;
    const isThere = Math.abs(element.scrollTop - Math.min(Math.max(top, 0), end)) < 1;
    want.tries -= 1;
    if (!isThere) element.scrollTop = top;
    else if (want.tries < TRIES - 2) wanted.current = null;
    if (want.tries <= 0) wanted.current = null;
    else if (wanted.current) requestAnimationFrame(() => redraw((tick) => tick + 1));
  });

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const letGo = () => {
      wanted.current = null;
    };
    const size = new ResizeObserver(look);
    size.observe(element);
    look();
    element.addEventListener('scroll', look, { passive: true });
    element.addEventListener('wheel', letGo, { passive: true });
    element.addEventListener('touchmove', letGo, { passive: true });
    return () => {
      size.disconnect();
      element.removeEventListener('scroll', look);
      element.removeEventListener('wheel', letGo);
      element.removeEventListener('touchmove', letGo);
    };
  }, [scroller, look]);

  const rowRef = useCallback(
    (row: HTMLElement | null) => {
      if (!row) return;
      observer.current ??= new ResizeObserver((entries) => {
        const seen: HTMLElement[] = [];
        for (const { target } of entries) if (target instanceof HTMLElement) seen.push(target);
        measure(seen, false);
      });
      const own = observer.current;
      elements.current.add(row);
      own.observe(row);
      return () => {
        elements.current.delete(row);
        own.unobserve(row);
      };
    },
    [measure],
  );

  const scrollToIndex = (index: number, align: Align = 'auto') => {
    wanted.current = { index, align, tries: TRIES };
    redraw((tick) => tick + 1);
  };

  const top = sticking.current ? Math.max(0, rows.total - place.height) : scrolled.current;
  return { rows, rowRef, scrollToIndex, ...rows.range(top, place.height, overscan) };
}
