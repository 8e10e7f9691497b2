import { useEffect, useEffectEvent, useRef } from 'react';

/** Goes once to what the address names, when it is there. */
export function useArrival(
  wanted: string | null,
  isThere: boolean,
  go: (wanted: string) => void,
): void {
  const arrived = useRef<string | null>(null);
  const arrive = useEffectEvent(go);
  useEffect(() => {
    if (!isThere || wanted === null || arrived.current === wanted) return;
    arrived.current = wanted;
    arrive(wanted);
  }, [wanted, isThere]);
}
