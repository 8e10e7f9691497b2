import { type ReactNode, useEffect, useRef, useState } from 'react';

type LazyMountProps = {
  /** How high it will be, about; once it was drawn its real height is kept. */
  estimate: number;
  /** Called only while it is near. */
  children: () => ReactNode;
  /** Stays mounted when out of view: a person writes in it. */
  keep?: boolean;
};

const margin = 1_200;

/** Draws its content only near the visible part of its scroll container, and keeps its height otherwise. */
export function LazyMount({ estimate, children, keep = false }: LazyMountProps) {
  const element = useRef<HTMLDivElement>(null);
  const height = useRef<number | null>(null);
  const [near, setNear] = useState(typeof IntersectionObserver === 'undefined');

  useEffect(() => {
    const target = element.current;
    if (!target || typeof IntersectionObserver === 'undefined') return;
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1);
        if (!entry) return;
        if (!entry.isIntersecting && entry.boundingClientRect.height > 0)
          height.current = entry.boundingClientRect.height;
        setNear(entry.isIntersecting);
      },
      { root: scrollerOf(target), rootMargin: `${margin}px 0px` },
    );
    observer.observe(target);
    return () => observer.disconnect();
  }, []);

  const drawn = near || keep;
  return (
    <div ref={element} style={drawn ? undefined : { height: height.current ?? estimate }}>
      {drawn && children()}
    </div>
  );
}

function scrollerOf(element: HTMLElement): HTMLElement | null {
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(parent).overflowY)) return parent;
  }
  return null;
}
