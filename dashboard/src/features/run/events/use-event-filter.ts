import { useMemo } from 'react';
import type { EventFilter } from '@/model/event/event-list';
import { LEVELS, type Level } from '@/model/event/level';
import { useSearch, useTyped } from '../use-search';

const isLevel = (word: string): word is Level => LEVELS.some((level) => level === word);
const words = (text: string) => text.split(',').filter(Boolean);

export function useEventFilter() {
  const [search, put] = useSearch();
  const [text, setText] = useTyped('find');
  const find = search.get('find') ?? '';
  const levels = search.get('level') ?? '';
  const agents = search.get('by') ?? '';
  const names = search.get('name') ?? '';
  const filter = useMemo<EventFilter>(
    () => ({
      text: find,
      levels: words(levels).filter(isLevel),
      agents: words(agents),
      names: words(names),
    }),
    [find, levels, agents, names],
  );
  const change = (next: Partial<Record<'level' | 'by' | 'name', readonly string[]>>) =>
    put(Object.fromEntries(Object.entries(next).map(([name, list]) => [name, list.join(',')])));
  return { filter, text, setText, change };
}
