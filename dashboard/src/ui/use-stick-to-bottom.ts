import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

const near = 32;

/** Keeps a scroller at its end as its content grows, unless the person has scrolled up. */
export function useStickToBottom(
  scroller: RefObject<HTMLElement | null>,
  enabled: boolean,
  contentSize: number,
): { atBottom: boolean; toBottom: () => void; letGo: () => void } {
  const [atBottom, setAtBottom] = useState(true);
  const sticking = useRef(true);

  useEffect(() => {
    const element = scroller.current;
    if (!enabled || !element) return;
    let last = element.scrollTop;
    const onScroll = () => {
      const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
      // Growth alone never unsticks: only a movement upwards does.
      if (rest <= near) sticking.current = true;
      else if (element.scrollTop < last - 1) sticking.current = false;
      last = element.scrollTop;
      setAtBottom(sticking.current);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [scroller, enabled]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new size is what has to be followed.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (enabled && sticking.current && element) element.scrollTop = element.scrollHeight;
  }, [scroller, enabled, contentSize]);

  const toBottom = () => {
    sticking.current = true;
    setAtBottom(true);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  };
  const letGo = () => {
    sticking.current = false;
    setAtBottom(false);
  };
  return { atBottom, toBottom, letGo };
}
