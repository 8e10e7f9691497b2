import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

type StickToBottom = { atBottom: boolean; toBottom: () => void; letGo: () => void };

const near = 32;
const intentLasts = 600;

/**
 * Keeps a scroller at its end as its content grows, until the person scrolls up. Only a movement
 * that follows a wheel, touch, key or drag lets go; what the list does by itself never does.
 * `sticking` is shared with the code that decides what is drawn, so that the end is drawn at once.
 */
export function useStickToBottom(
  scroller: RefObject<HTMLElement | null>,
  sticking: RefObject<boolean>,
  enabled: boolean,
  contentSize: number,
): StickToBottom {
  const [atBottom, setAtBottom] = useState(true);
  const sentAway = useRef(Number.NEGATIVE_INFINITY);

  const stick = useCallback(
    (next: boolean) => {
      sticking.current = next;
      setAtBottom(next);
    },
    [sticking],
  );

  useEffect(() => {
    const element = scroller.current;
    if (!enabled || !element) return;
    let intent = Number.NEGATIVE_INFINITY;
    const intend = () => {
      intent = performance.now();
    };
    const onScroll = () => {
      const isMeant = performance.now() - intent < intentLasts;
      // At the end by itself: nothing to find out, and asking would lay everything out once more.
      if (sticking.current && !isMeant) return;
      // It was just sent elsewhere: a word of the scrolling before that is no wish to come back.
      if (!isMeant && performance.now() - sentAway.current < intentLasts) return;
      const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
      if (rest <= near) stick(true);
      else if (isMeant) stick(false);
    };
    const onDrag = (event: PointerEvent) => event.buttons > 0 && intend();
    const signs = ['wheel', 'touchmove', 'keydown', 'pointerdown'];
    for (const sign of signs) element.addEventListener(sign, intend, { passive: true });
    element.addEventListener('pointermove', onDrag);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      for (const sign of signs) element.removeEventListener(sign, intend);
      element.removeEventListener('pointermove', onDrag);
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller, sticking, enabled, stick]);

  // What stands above or below it comes and goes: the end stays in sight when less of the list is. A list that is laid
  // out later than it is drawn is followed, too.
  useEffect(() => {
    const element = scroller.current;
    if (!enabled || !element) return;
    const resize = new ResizeObserver(() => {
      if (sticking.current) element.scrollTop = element.scrollHeight;
    });
    resize.observe(element);
    if (element.firstElementChild) resize.observe(element.firstElementChild);
    return () => resize.disconnect();
  }, [scroller, sticking, enabled]);

  // Before it is painted: a row that has come is seen in the same frame.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new size is what has to be followed.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (enabled && sticking.current && element) element.scrollTop = element.scrollHeight;
  }, [scroller, sticking, enabled, contentSize]);

  const toBottom = () => {
    stick(true);
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  const letGo = () => {
    sentAway.current = performance.now();
    stick(false);
  };
  return { atBottom, toBottom, letGo };
}
