// Runs: lists, one run, and what it has made.

import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import type { CheckpointDetail } from '@/wire/CheckpointDetail';
import type { CheckpointSummary } from '@/wire/CheckpointSummary';
import type { Compared } from '@/wire/Compared';
import type { Diff } from '@/wire/Diff';
import type { Drawing } from '@/wire/Drawing';
import type { Page } from '@/wire/Page';
import type { Pending } from '@/wire/Pending';
import type { PlanRevision } from '@/wire/PlanRevision';
import type { PlanShown } from '@/wire/PlanShown';
import type { RunDetail } from '@/wire/RunDetail';
import type { RunMetrics } from '@/wire/RunMetrics';
import type { RunOutcome } from '@/wire/RunOutcome';
import type { RunSummary } from '@/wire/RunSummary';
import { ApiError, get, getText, pathWith } from './http';
import { keys } from './keys';

/** An id comes from the address, and is no path. */
const of = (id: string, path = '') => `/workflows/${encodeURIComponent(id)}${path}`;

/** As `GET /workflows` takes it. */
export type RunFilter = {
  status?: string;
  pipeline?: string;
  profile?: string;
  worktree?: string;
  q?: string;
  archived?: boolean;
  since?: string;
  until?: string;
  limit?: number;
};

/** Runs, newest first; `fetchNextPage` reads on. Kept live by the board's socket. */
export function useRuns(filter: RunFilter, enabled = true) {
  return useInfiniteQuery({
    enabled,
    queryKey: keys.list(filter),
    queryFn: ({ pageParam, signal }) =>
      get<Page<RunSummary>>(
        '/workflows',
        { limit: 100, ...filter, undone: true, cursor: pageParam },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** Every question without an answer, oldest first. */
export function useInbox() {
  return useQuery({
    queryKey: keys.inbox,
    queryFn: async ({ signal }) =>
      (await get<Page<Pending>>('/inbox', { limit: 500 }, signal)).items,
  });
}

/** A run by its id, or by a name that the server knows it by, such as `r12`. Only what is kept by its id is kept live. */
export function useRun(name: string) {
  return useQuery({
    queryKey: keys.detail(name),
    queryFn: async ({ signal, client }) => {
      const run = await get<RunDetail>(of(name), {}, signal);
      if (run.id !== name) client.setQueryData(keys.detail(run.id), run);
      return run;
    },
  });
}

/** The result of a completed run; `null` if it cannot be read now. */
export async function resultOf(id: string): Promise<RunOutcome | null> {
  try {
    return (await get<RunDetail>(of(id))).outcome;
  } catch {
    return null;
  }
}

/** The plan in Markdown; `null` before there is one. */
export function usePlan(id: string) {
  return useQuery({
    queryKey: keys.of(id, 'plan'),
    queryFn: ({ signal }) => planOf(id, signal),
  });
}

async function planOf(id: string, signal: AbortSignal): Promise<string | null> {
  try {
    // Of a run of a team it is a document, which the Team tab shows.
    return (await get<Partial<PlanShown>>(of(id, '/plan'), {}, signal)).plan ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** The plan, and the question that asks for it: an answer to that can mean no other plan. */
export function usePlanAsked(id: string) {
  return useQuery({
    queryKey: keys.of(id, 'plan', 'asked'),
    queryFn: async ({ signal }) => {
      // The question first: a plan that is newer than it cannot be approved with it.
      const { items } = await get<Page<Pending>>(of(id, '/hitl/requests'), {}, signal);
      const request = items.find(({ kind }) => kind === 'approval')?.request_id ?? null;
      return { request, plan: await planOf(id, signal) };
    },
  });
}

/** Every version of the plan, oldest first. */
export function usePlanRevisions(id: string) {
  return useQuery({
    queryKey: keys.of(id, 'plans'),
    queryFn: async ({ signal }) =>
      (await get<Page<PlanRevision>>(of(id, `/plans`), { limit: 500 }, signal)).items,
  });
}

/** `at`: what was committed when the log ended there. `task`: only what this task has changed. */
export type DiffOf = { at?: number; task?: string; stat?: boolean };

export function useDiff(id: string, part: DiffOf = {}, enabled = true) {
  return useQuery({
    queryKey: keys.of(id, 'diff', part),
    queryFn: ({ signal }) => get<Diff>(of(id, `/diff`), part, signal),
    enabled,
  });
}

/** The files that each of these tasks has changed; nothing for a task that is not read yet. */
export function useTaskFiles(id: string, tasks: string[]): (string[] | undefined)[] {
  return useQueries({
    queries: tasks.map((task) => ({
      queryKey: keys.of(id, 'diff', { task, stat: true }),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        get<Diff>(of(id, `/diff`), { task, stat: true }, signal),
    })),
    combine: filesOfEach,
  });
}

const filesOfEach = (answers: { data: Diff | undefined }[]) =>
  answers.map(({ data }) => data?.files.map(({ path }) => path));

export function useGraph(id: string) {
  return useQuery({
    queryKey: keys.of(id, 'graph'),
    queryFn: ({ signal }) => get<Drawing>(of(id, `/graph`), {}, signal),
  });
}

/** Every moment that the run can be taken back to, oldest first. */
export function useCheckpoints(id: string) {
  return useQuery({
    queryKey: keys.of(id, 'checkpoints'),
    queryFn: async ({ signal }) => {
      const all: CheckpointSummary[] = [];
      let cursor: string | null = null;
      do {
        const page: Page<CheckpointSummary> = await get(
          of(id, `/checkpoints`),
          { limit: 500, cursor },
          signal,
        );
        all.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return all;
    },
  });
}

/** The state at a checkpoint. It never changes. */
export function useCheckpoint(id: string, number: number | null) {
  return useQuery({
    queryKey: ['checkpoint', id, number],
    queryFn: ({ signal }) => get<CheckpointDetail>(of(id, `/checkpoints/${number}`), {}, signal),
    enabled: number !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Where a file of the run's worktree is downloaded from. */
export const filePath = (id: string, path: string) => pathWith(of(id, '/files'), { path });

/** A file as it is in the run's worktree. */
export function useFile(id: string, path: string | null) {
  return useQuery({
    queryKey: keys.of(id, 'file', path),
    queryFn: ({ signal }) => getText(of(id, `/files`), { path }, signal),
    enabled: path !== null,
  });
}

export function useRunMetrics(id: string) {
  return useQuery({
    queryKey: keys.of(id, 'metrics'),
    queryFn: ({ signal }) => get<RunMetrics>(of(id, `/metrics`), {}, signal),
  });
}

export function useCompare(a: string | null, b: string | null) {
  return useQuery({
    queryKey: keys.compare(a ?? '', b ?? ''),
    queryFn: ({ signal }) => get<Compared>('/compare', { a, b }, signal),
    enabled: a !== null && b !== null,
    // Until both have ended there is always something new.
    refetchInterval: ({ state: { data } }) =>
      data && !(data.a.completed_at && data.b.completed_at) ? 5_000 : false,
  });
}
