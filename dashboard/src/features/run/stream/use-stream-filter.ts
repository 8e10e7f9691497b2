import { useCallback, useMemo } from 'react';
import { ROW_KINDS, type RowFilter, type RowKind } from '@/model/stream/rows';
import { useSearch, useTyped } from '../use-search';

const isKind = (word: string): word is RowKind => ROW_KINDS.some((kind) => kind === word);

/** What the stream shows: in the address, so that it can be shared. */
export function useStreamFilter() {
  const [search, put] = useSearch();
  const [text, setText] = useTyped('q');
  const wanted = search.get('q') ?? '';
  const agents = search.get('of') ?? '';
  const kinds = search.get('show') ?? '';
  const filter = useMemo<RowFilter>(
    () => ({
      text: wanted,
      agents: agents.split(',').filter(Boolean),
      kinds: kinds.split(',').filter(isKind),
    }),
    [wanted, agents, kinds],
  );
  const setShown = useCallback(
    (shown: Pick<RowFilter, 'agents' | 'kinds'>) =>
      put({ of: shown.agents.join(','), show: shown.kinds.join(',') }),
    [put],
  );
  return { filter, text, setText, setShown };
}
