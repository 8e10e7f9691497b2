import { useSyncExternalStore } from 'react';

type Clock = { subscribe: (listener: () => void) => () => void; read: () => number };
const clocks = new Map<number, Clock>();

/** The time, renewed every `period` ms. All that ask for one period share one timer. */
export function useNow(period = 5_000): number {
  const { subscribe, read } = clockOf(period);
  return useSyncExternalStore(subscribe, read);
}

// A clock is made once for each period: a new `subscribe` at each render would never come to rest.
function clockOf(period: number): Clock {
  const known = clocks.get(period);
  if (known) return known;
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    now = Date.now();
    for (const tell of listeners) tell();
  };
  const clock: Clock = {
    read: () => now,
    subscribe: (listener) => {
      if (listeners.size === 0) {
        now = Date.now();
        timer = setInterval(tick, period);
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) clearInterval(timer);
      };
    },
  };
  clocks.set(period, clock);
  return clock;
}
