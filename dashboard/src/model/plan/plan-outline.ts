// A plan in a few lines, from the state of a run: what it is for, its tasks, the files it touches.

import { isObject, stringIn } from '@/model/inbox/json';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type PlannedFile = { path: string; operation: string };
export type PlannedTask = { id: string; title: string; steps: number; files: PlannedFile[] };
export type PlanOutline = {
  goal: string | null;
  tasks: PlannedTask[];
  /** Each path once, in the order of the plan. */
  files: PlannedFile[];
  steps: number;
};

/** `null`: there is no plan in this state. */
export function planOutline(state: JsonValue | undefined): PlanOutline | null {
  const draft = isObject(state) ? state.draft : undefined;
  const plan = isObject(draft) ? draft.plan : undefined;
  if (!isObject(plan)) return null;
  const tasks = listIn(plan.tasks).map(taskOf);
  const files = new Map<string, PlannedFile>();
  for (const file of tasks.flatMap((task) => task.files)) {
    if (!files.has(file.path)) files.set(file.path, file);
  }
  return {
    goal: stringIn(plan.goal),
    tasks,
    files: [...files.values()],
    steps: tasks.reduce((sum, task) => sum + task.steps, 0),
  };
}

function taskOf(value: JsonValue, index: number): PlannedTask {
  const task = isObject(value) ? value : {};
  const files = listIn(task.files).flatMap((file) => {
    const path = isObject(file) ? stringIn(file.path) : null;
    const operation = isObject(file) ? stringIn(file.operation) : null;
    return path ? [{ path, operation: operation ?? 'modify' }] : [];
  });
  return {
    id: stringIn(task.id) ?? String(index + 1),
    title: stringIn(task.title) ?? 'Untitled',
    steps: listIn(task.steps).length,
    files,
  };
}

const listIn = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
