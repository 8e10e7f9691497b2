import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import { panned, type Span, zoomed } from '@/model/trace/timeline';

export type TimelineZoom = ReturnType<typeof useTimelineZoom>;

/** The part of the whole time that is shown, and how to change it. */
export function useTimelineZoom(whole: Span) {
  const [chosen, setChosen] = useState<Span | null>(null);
  const span = chosen ?? whole;
  const by = (factor: number, around = 0.5) => {
    const next = zoomed(span, whole, factor, around);
    setChosen(next.to - next.from >= whole.to - whole.from ? null : next);
  };
  const pan = (share: number, from = span) => setChosen(panned(from, whole, share));
  return { span, whole, isZoomed: chosen !== null, by, pan, reset: () => setChosen(null) };
}

/** Over `frame`, Ctrl and the wheel zoom around the pointer, and a sideways wheel moves the axis. */
export function useWheelZoom(
  frame: RefObject<HTMLElement | null>,
  axis: RefObject<HTMLElement | null>,
  zoom: TimelineZoom,
): void {
  const onWheel = useEffectEvent((event: WheelEvent) => {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    const box = axis.current?.getBoundingClientRect();
    if (isZoom && box) {
      const around = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      zoom.by(Math.exp(event.deltaY / 240), around);
    } else zoom.pan(event.deltaX / (axis.current?.clientWidth ?? 1));
  });
  useEffect(() => {
    const element = frame.current;
    const listen = (event: WheelEvent) => onWheel(event);
    // React's own wheel listeners are passive, and could not stop the page from zooming.
    element?.addEventListener('wheel', listen, { passive: false });
    return () => element?.removeEventListener('wheel', listen);
  }, [frame]);
}
