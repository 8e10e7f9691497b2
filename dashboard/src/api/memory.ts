// What agents remember: listed, searched, summarised, and removed.

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ConsolidationStarted } from '@/wire/ConsolidationStarted';
import type { MemoryDetail } from '@/wire/MemoryDetail';
import type { MemoryShown } from '@/wire/MemoryShown';
import type { Page } from '@/wire/Page';
import { get, post, remove } from './http';
import { keys } from './keys';
import { useRun } from './runs';

/** As many as a page shows at once. */
const MOST = 100;

/** The newest entries, or those that fit the words, best first. */
export function useMemories(words: string, scope: string) {
  return useQuery({
    queryKey: keys.memories(words, scope),
    queryFn: async ({ signal }) => {
      if (words === '') return get<Page<MemoryShown>>('/memory', { limit: MOST, scope }, signal);
      const scopes = scope === '' ? [] : [scope];
      return post<Page<MemoryShown>>('/memory/search', { query: words, limit: MOST, scopes });
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** An entry with its versions. */
export function useMemory(id: string) {
  return useQuery({
    queryKey: keys.memory(id),
    queryFn: ({ signal }) => get<MemoryDetail>(`/memory/${id}`, {}, signal),
    retry: false,
  });
}

/** Creates the runs that summarise entries with this scope, or with any. */
export function useConsolidate() {
  return useMutation({
    mutationFn: (scope: string) =>
      post<ConsolidationStarted>('/memory/consolidate', scope === '' ? {} : { scope }),
    meta: { isHandledByPage: true },
  });
}

/** Reads the entries again when the run that summarises them has ended; says how it stands. */
export function useEndOfConsolidation(run: string) {
  const client = useQueryClient();
  const status = useRun(run).data?.status;
  const isOver = status === 'completed' || status === 'failed' || status === 'cancelled';
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ queryKey: keys.everyMemory });
  }, [isOver, client]);
  return status;
}

export function useForget() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => remove(`/memory/${id}`),
    meta: { isHandledByPage: true },
    onSettled: () => client.invalidateQueries({ queryKey: keys.everyMemory }),
  });
}
