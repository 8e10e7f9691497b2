import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { ROW_KINDS, type RowFilter, type RowKind } from '@/model/rows';

const PAUSE = 200;

const isKind = (word: string): word is RowKind => ROW_KINDS.some((kind) => kind === word);

/** What the stream shows: in the address, so that it can be shared. Typing reaches it after a short pause. */
export function useStreamFilter() {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('q') ?? '';
  const agents = search.get('of') ?? '';
  const kinds = search.get('show') ?? '';
  const [text, setText] = useState(wanted);
  const filter = useMemo<RowFilter>(
    () => ({
      text: wanted,
      agents: agents.split(',').filter(Boolean),
      kinds: kinds.split(',').filter(isKind),
    }),
    [wanted, agents, kinds],
  );

  const put = (values: Record<string, string>) =>
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
    );

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the clock.
  useEffect(() => {
    if (text === wanted) return;
    const timer = setTimeout(() => put({ q: text }), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);

  const setShown = (shown: Pick<RowFilter, 'agents' | 'kinds'>) =>
    put({ of: shown.agents.join(','), show: shown.kinds.join(',') });
  return { filter, text, setText, setShown };
}
