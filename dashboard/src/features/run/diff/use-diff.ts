import { useMemo } from 'react';
import { useDiff, useRun, useTaskFiles } from '@/api/runs';
import { type EditIndex, editIndexOf } from '@/model/diff/provenance';
import { parseUnified } from '@/model/diff/unified-diff';
import { planStateOf } from '@/model/plan/plan';
import type { TaskRef } from '@/wire/log/TaskRef';
import { useSlowLog } from '../use-slow-log';

/** A change with everything that is known of it. */
export function useChange(id: string, task: string | null, at: number | null) {
  const of = { ...(task ? { task } : {}), ...(at === null ? {} : { at }) };
  const diff = useDiff(id, of);
  const { log, version } = useSlowLog(id);
  const files = useMemo(() => parseUnified(diff.data?.diff ?? ''), [diff.data?.diff]);
  const tasks = useCommittedTasks(log.facts.commits, at, version);
  const byTask = useTaskFiles(
    id,
    tasks.map((one) => one.id),
  );
  const run = useRun(id).data;
  const plan = planStateOf(run?.state).path;
  const ground = diff.data?.worktree ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log grows in place; its version tells.
  const edits: EditIndex = useMemo(() => {
    const owners = new Map<string, TaskRef[]>();
    // Who is the only one can be said when all have been read.
    const isKnown = byTask.every((files) => files !== undefined);
    if (isKnown)
      tasks.forEach((one, index) => {
        for (const path of byTask[index] ?? [])
          owners.set(path, [...(owners.get(path) ?? []), one]);
      });
    return editIndexOf(log.transcript, ground, { tasks: owners, plan, at });
  }, [log, version, ground, tasks, byTask, plan, at]);
  return { diff, files, tasks, edits, status: run?.status, name: run?.short_id ?? id };
}

export type Change = ReturnType<typeof useChange>;

function useCommittedTasks(
  commits: { task: TaskRef; seq: number }[],
  at: number | null,
  version: number,
): TaskRef[] {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log grows in place; its version tells.
  return useMemo(() => {
    const tasks = new Map<string, TaskRef>();
    for (const { task, seq } of commits) if (at === null || seq <= at) tasks.set(task.id, task);
    return [...tasks.values()].sort((a, b) => a.index - b.index);
  }, [commits, at, version]);
}
