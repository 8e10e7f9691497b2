import { useSyncExternalStore } from 'react';

type Clock = { read: () => number; subscribe: (tell: () => void) => () => void };

const clocks = new Map<number, Clock>();

function clockOf(period: number): Clock {
  const known = clocks.get(period);
  if (known) return known;
  const fresh = startClock(period);
  clocks.set(period, fresh);
  return fresh;
}

/** Its functions stay the same, so that nobody who renders again subscribes again. */
function startClock(period: number): Clock {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | null = null;
  let now = Date.now();
  const subscribe = (tell: () => void) => {
    listeners.add(tell);
    if (timer === null) {
      now = Date.now();
      timer = setInterval(() => {
        now = Date.now();
        for (const one of listeners) one();
      }, period);
    }
    return () => {
      listeners.delete(tell);
      if (listeners.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    };
  };
  return { read: () => now, subscribe };
}

/** The time, renewed every `period` ms. All that ask for one period share one timer. */
export function useNow(period = 5_000): number {
  const clock = clockOf(period);
  return useSyncExternalStore(clock.subscribe, clock.read);
}
