import { useSyncExternalStore } from 'react';

type Clock = {
  now: number;
  /** One function per clock: React subscribes again whenever it gets another one. */
  subscribe: (listener: () => void) => () => void;
};
const clocks = new Map<number, Clock>();

function clockOf(period: number): Clock {
  const known = clocks.get(period);
  if (known) return known;
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const clock: Clock = {
    now: Date.now(),
    subscribe: (listener) => {
      if (listeners.size === 0) {
        if (Date.now() - clock.now >= period) clock.now = Date.now();
        timer = setInterval(() => {
          clock.now = Date.now();
          for (const tell of listeners) tell();
        }, period);
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

/** The time, renewed every `period` ms. All that ask for one period share one timer. */
export function useNow(period = 5_000): number {
  const clock = clockOf(period);
  return useSyncExternalStore(clock.subscribe, () => clock.now);
}
