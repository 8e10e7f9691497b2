import { useSyncExternalStore } from 'react';

type Clock = { now: () => number; subscribe: (listener: () => void) => () => void };

const clocks = new Map<number, Clock>();

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
  // One function for ever: a new one at each render would subscribe anew, and so set the clock, and so render again.
  const subscribe = (listener: () => void) => {
    if (listeners.size === 0) {
      now = Date.now();
      timer = setInterval(tick, period);
    }
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) clearInterval(timer);
    };
  };
  const fresh: Clock = { now: () => now, subscribe };
  clocks.set(period, fresh);
  return fresh;
}

/** The time, renewed every `period` ms. All that ask for one period share one timer. */
export function useNow(period = 5_000): number {
  const clock = clockOf(period);
  return useSyncExternalStore(clock.subscribe, clock.now);
}
