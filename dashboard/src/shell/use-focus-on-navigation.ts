import { type RefObject, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { isTyping } from '@/lib/keys';

/** After a change of page, moves the focus to the content, as a fresh page would; a field that the page itself has put it
 * in keeps it. Not on the first. */
export function useFocusOnNavigation(main: RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation();
  const last = useRef(pathname);
  useEffect(() => {
    if (last.current === pathname) return;
    last.current = pathname;
    main.current?.scrollTo({ top: 0 });
    const focused = document.activeElement;
    const isField = focused instanceof HTMLElement && isTyping(focused);
    if (!isField || !main.current?.contains(focused)) main.current?.focus({ preventScroll: true });
  }, [pathname, main]);
}
