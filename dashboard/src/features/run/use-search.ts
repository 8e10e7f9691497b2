import { useCallback, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';

const DEBOUNCE_MS = 200;

type Values = Record<string, string>;

/** What the address says, and how to change a part of it; an empty value is taken out. */
export function useSearch(): [URLSearchParams, (values: Values) => void] {
  const [search, setSearch] = useSearchParams();
  const put = useCallback(
    (values: Values) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(values)) {
            if (value === '') next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setSearch],
  );
  return [search, put];
}

/** A text of the address that is typed: it reaches the address after a short pause. */
export function useTyped(name: string): [string, (text: string) => void] {
  const [search, put] = useSearch();
  const known = search.get(name) ?? '';
  const [text, setText] = useState(known);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the clock.
  useEffect(() => {
    if (text === known) return;
    const timer = setTimeout(() => put({ [name]: text }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
