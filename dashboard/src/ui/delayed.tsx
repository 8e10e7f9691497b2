import { type ReactNode, useEffect, useState } from 'react';

type DelayedProps = {
  /** Until then. */
  early?: ReactNode;
  children: ReactNode;
};

const DELAY_MS = 300;

/** What is shown only when it is still true after a moment: a spinner that only flashes says nothing. */
export function Delayed({ early = null, children }: DelayedProps) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLate ? children : early;
}
