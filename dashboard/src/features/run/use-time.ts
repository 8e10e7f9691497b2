import { useCallback, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';

/** How long the slider must stand still until the address, and what is asked from the server, follow it. */
const SETTLES_AFTER = 140;

export type Time = {
  /** Where the slider stands, at once; `null` is now. */
  at: number | null;
  /** The same when it has come to rest: what the address says. */
  settled: number | null;
  seek: (at: number | null) => void;
};

export function useTime(): Time {
  const [search, setSearch] = useSearchParams();
  const text = search.get('at');
  const settled = text !== null && /^\d+$/.test(text) ? Number(text) : null;
  const [moving, setMoving] = useState<{ at: number | null } | null>(null);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address has come to where the slider is, or it was changed elsewhere: from now on it counts.
  // biome-ignore lint/correctness/useExhaustiveDependencies: that it changes is what matters.
  useEffect(() => setMoving(null), [settled]);

  const seek = useCallback(
    (at: number | null) => {
      setMoving({ at });
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => {
        setSearch(
          (before) => {
            const next = new URLSearchParams(before);
            if (at === null) next.delete('at');
            else next.set('at', String(at));
            return next;
          },
          { replace: true, preventScrollReset: true },
        );
      }, SETTLES_AFTER);
    },
    [setSearch],
  );
  return { at: moving ? moving.at : settled, settled, seek };
}
