import { useSyncExternalStore } from 'react';

type Clock = { now: () => number; subscribe: (listener: () => void) => () => void };
const clocks = new Map<number, Clock>();

function clockOf(period: number): Clock {
  const known = clocks.get(period);
  if (known) return known;
  const fresh = newClock(period);
  clocks.set(period, fresh);
  return fresh;
}

// `subscribe` stays the same function: with a new one at each render React would subscribe again,
// find another time, and render for ever.
function newClock(period: number): Clock {
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const listeners = new Set<() => void>();
  const tick = () => {
    now = Date.now();
    for (const tell of listeners) tell();
  };
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
  return { now: () => now, subscribe };
}

/** The time, renewed every `period` ms. All that ask for one period share one timer. */
export function useNow(period = 5_000): number {
  const clock = clockOf(period);
  return useSyncExternalStore(clock.subscribe, clock.now);
}
