import { useSyncExternalStore } from 'react';

type Clock = {
  now: number;
  listeners: Set<() => void>;
  timer: ReturnType<typeof setInterval> | null;
};
const clocks = new Map<number, Clock>();

function clockOf(period: number): Clock {
  const known = clocks.get(period);
  if (known) return known;
  const fresh: Clock = { now: Date.now(), listeners: new Set(), timer: null };
  clocks.set(period, fresh);
  return fresh;
}

/** The time, renewed every `period` ms. All that ask for one period share one timer. */
export function useNow(period = 5_000): number {
  const clock = clockOf(period);
  return useSyncExternalStore(
    (listener) => {
      if (clock.listeners.size === 0) {
        clock.now = Date.now();
        clock.timer = setInterval(() => {
          clock.now = Date.now();
          for (const tell of clock.listeners) tell();
        }, period);
      }
      clock.listeners.add(listener);
      return () => {
        clock.listeners.delete(listener);
        if (clock.listeners.size === 0 && clock.timer !== null) clearInterval(clock.timer);
      };
    },
    () => clock.now,
  );
}
