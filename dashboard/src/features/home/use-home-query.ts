import { useSearchParams } from 'react-router';
import type { Filter } from '@/model/board/board';
import { readOrder, type SortOrder, writeOrder } from '@/model/board/run-sort';

export type View = 'board' | 'list';

/** Filter, view and order, as they stand in the address. */
export function useHomeQuery() {
  const [search, setSearch] = useSearchParams();
  const filter: Filter = {
    status: search.get('status') ?? '',
    profile: search.get('profile') ?? '',
    repository: search.get('repo') ?? '',
    text: search.get('q') ?? '',
  };
  const view: View = search.get('view') === 'list' ? 'list' : 'board';
  const order = readOrder(search.get('sort'));

  const set = (changes: Record<string, string>) => {
    // From the address itself: two changes may come before the screen has seen the first.
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    setSearch(next, { replace: true, preventScrollReset: true });
  };

  return {
    filter,
    view,
    order,
    setFilter: (changes: Partial<Filter>) => {
      const { repository, text, ...same } = changes;
      set({
        ...same,
        ...(repository === undefined ? {} : { repo: repository }),
        ...(text === undefined ? {} : { q: text }),
      });
    },
    clear: () => set({ status: '', profile: '', repo: '', q: '' }),
    /** The list, with only this status. */
    showAll: (status: string) => set({ view: 'list', status }),
    setView: (next: View) => set({ view: next === 'board' ? '' : next }),
    setOrder: (next: SortOrder) => set({ sort: writeOrder(next) }),
  };
}
