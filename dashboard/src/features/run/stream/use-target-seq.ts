import { useEffect, useRef } from 'react';
import { useLocation, useSearchParams } from 'react-router';

/**
 * The event that the address names; 0 is none. It is shown once, when it has come, and again when a link is followed to
 * it again; not whenever anything else of the address changes.
 */
export function useTargetSeq(show: (seq: number) => boolean): number {
  const [search] = useSearchParams();
  const wanted = Number(search.get('seq') ?? 0);
  const { state } = useLocation();
  const followed: unknown = state?.followed;
  const last = useRef<{ seq: number; followed: unknown }>({ seq: 0, followed: undefined });
  useEffect(() => {
    const isNew = wanted !== last.current.seq;
    const isAgain = followed !== undefined && followed !== last.current.followed;
    if (wanted > 0 && !isNew && !isAgain) return;
    if (wanted === 0 || show(wanted)) last.current = { seq: wanted, followed };
  });
  return wanted;
}
