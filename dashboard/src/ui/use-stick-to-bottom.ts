import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

type Stick = { atBottom: boolean; toBottom: () => void; letGo: () => void };

const near = 32;
const intentLasts = 600;
// Rows are measured after they are drawn, so the end moves a little: look again in the next frames.
const framesToSettle = 3;

/**
 * Keeps a scroller at its end as its content grows, until the person scrolls up. Only a movement
 * that follows a wheel, touch, key or drag lets go; what the list does by itself never does.
 */
export function useStickToBottom(
  scroller: RefObject<HTMLElement | null>,
  enabled: boolean,
  contentSize: number,
): Stick {
  const [atBottom, setAtBottom] = useState(true);
  const sticking = useRef(true);
  const frame = useRef(0);

  const follow = useCallback(() => {
    cancelAnimationFrame(frame.current);
    let left = framesToSettle;
    const step = () => {
      const element = scroller.current;
      if (!element || !sticking.current) return;
      element.scrollTop = element.scrollHeight;
      left -= 1;
      if (left > 0) frame.current = requestAnimationFrame(step);
    };
    frame.current = requestAnimationFrame(step);
  }, [scroller]);

  const stick = useCallback((next: boolean) => {
    sticking.current = next;
    setAtBottom(next);
  }, []);

  useEffect(() => {
    const element = scroller.current;
    if (!enabled || !element) return;
    let intent = Number.NEGATIVE_INFINITY;
    const intend = () => {
      intent = performance.now();
    };
    const onScroll = () => {
      const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
      if (rest <= near) stick(true);
      else if (performance.now() - intent < intentLasts) stick(false);
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
      cancelAnimationFrame(frame.current);
    };
  }, [scroller, enabled, stick]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new size is what has to be followed.
  useEffect(() => {
    if (enabled && sticking.current) follow();
  }, [enabled, contentSize, follow]);

  const toBottom = () => {
    stick(true);
    follow();
  };
  return { atBottom, toBottom, letGo: () => stick(false) };
}
