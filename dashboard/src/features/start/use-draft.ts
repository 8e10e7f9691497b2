import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { remember, remembered } from '@/lib/storage';
import { useDebounced } from '@/lib/use-debounced';
import { type Draft, emptyDraft, isDraft, prefilled } from '@/model/start/draft';

const key = 'order';
const asked = ['repository', 'title', 'issue', 'profile'] as const;

/** The draft: it survives a reload, and a link may fill it in. */
export function useDraft() {
  const [params, setParams] = useSearchParams();
  const [draft, setDraft] = useState<Draft>(() => {
    const link = Object.fromEntries(asked.map((name) => [name, params.get(name)]));
    return prefilled(remembered(key, isDraft, emptyDraft), link);
  });
  // The link has done its work: a reload must not undo what is typed afterwards.
  const isLinked = asked.some((name) => params.has(name));
  useEffect(() => {
    if (!isLinked) return;
    setParams(
      (now) => {
        for (const name of asked) now.delete(name);
        return now;
      },
      { replace: true },
    );
  }, [isLinked, setParams]);

  const rested = useDebounced(draft, 300);
  useEffect(() => remember(key, rested), [rested]);
  useEffect(() => {
    const save = () => remember(key, draft);
    window.addEventListener('pagehide', save);
    return () => window.removeEventListener('pagehide', save);
  }, [draft]);

  const change = (patch: Partial<Draft>) => setDraft((before) => ({ ...before, ...patch }));
  const replace = (next: Draft) => {
    setDraft(next);
    // The old draft must not be there after the page is left now.
    remember(key, next);
  };
  return { draft, change, replace };
}
