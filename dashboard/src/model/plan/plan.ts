// The plan in a run's state, as the parts that a screen shows. The state is the graph's own, so nothing in it is taken for granted.

import type { RunDetail } from '@/wire/RunDetail';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type FileOperation = 'create' | 'modify' | 'delete' | 'test';
export type PlanFile = { operation: FileOperation; path: string };
export type PlanStep = { description: string; command: string | null; expected: string | null };
export type PlanTask = {
  id: string;
  title: string;
  files: PlanFile[];
  steps: PlanStep[];
  acceptance: string[];
  dependencies: string[];
  commitMessage: string | null;
  /** Of a task of a team; those of pipelines are done in their order. */
  status?: string;
};
export type Plan = { goal: string; architecture: string; techStack: string[]; tasks: PlanTask[] };

/** What a run's state says of its plan. */
export type PlanState = {
  markdown: string | null;
  plan: Plan | null;
  problems: string[];
  path: string | null;
  /** How many tasks are done. */
  tasksDone: number;
  isApproved: boolean;
};

/** Whether such a run has a plan at all: a review and the work of a single agent have none. */
export const hasPlan = ({ pipeline }: Pick<RunDetail, 'pipeline'>) => pipeline === 'implementation';

type Json = { [key in string]: JsonValue };

const isObject = (value: JsonValue | undefined): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOf = (value: JsonValue | undefined): Json => (isObject(value) ? value : {});
const listOf = (value: JsonValue | undefined) => (Array.isArray(value) ? value : []);
const textOf = (value: JsonValue | undefined) => (typeof value === 'string' ? value : '');
const textsOf = (value: JsonValue | undefined) =>
  listOf(value).filter((one): one is string => typeof one === 'string');

const operations: Record<string, FileOperation> = {
  create: 'create',
  modify: 'modify',
  delete: 'delete',
  test: 'test',
};

export function planStateOf(state: JsonValue | undefined): PlanState {
  const { draft, problems, plan_path, task, is_approved } = objectOf(state);
  const { markdown, plan } = objectOf(draft);
  return {
    markdown: textOf(markdown) || null,
    plan: isObject(plan) ? planOf(plan) : null,
    problems: textsOf(problems),
    path: textOf(plan_path) || null,
    tasksDone: typeof task === 'number' ? task : 0,
    isApproved: is_approved === true,
  };
}

/** The plan that a team works by, with the status of each task. */
export function teamPlanOf(state: JsonValue | undefined): Plan | null {
  const { plan } = objectOf(objectOf(state).team);
  if (!isObject(plan) || listOf(plan.tasks).length === 0) return null;
  const statuses = listOf(plan.tasks)
    .filter(isObject)
    .map(({ status }) => textOf(status));
  const { tasks, ...rest } = planOf(plan);
  return {
    ...rest,
    tasks: tasks.map((task, index) => ({ ...task, status: statuses[index] ?? '' })),
  };
}

function planOf(plan: Json): Plan {
  return {
    goal: textOf(plan.goal),
    architecture: textOf(plan.architecture),
    techStack: textsOf(plan.tech_stack),
    tasks: listOf(plan.tasks).filter(isObject).map(taskOf),
  };
}

function taskOf(task: Json): PlanTask {
  return {
    id: textOf(task.id),
    title: textOf(task.title),
    files: listOf(task.files)
      .filter(isObject)
      .map((file) => ({
        operation: operations[textOf(file.operation)] ?? 'modify',
        path: textOf(file.path),
      })),
    steps: listOf(task.steps)
      .filter(isObject)
      .map((step) => ({
        description: textOf(step.description),
        command: textOf(step.command) || null,
        expected: textOf(step.expected_output) || null,
      })),
    acceptance: textsOf(task.acceptance),
    dependencies: textsOf(task.dependencies),
    commitMessage: textOf(task.commit_message) || null,
  };
}

export type TouchedFile = { path: string; operations: FileOperation[]; tasks: string[] };

/** Every file that the plan names, with what is done to it and by which tasks. */
export function filesTouched(plan: Plan): TouchedFile[] {
  const files = new Map<string, TouchedFile>();
  for (const task of plan.tasks) {
    for (const { path, operation } of task.files) {
      const file = files.get(path) ?? { path, operations: [], tasks: [] };
      if (!file.operations.includes(operation)) file.operations.push(operation);
      if (!file.tasks.includes(task.id)) file.tasks.push(task.id);
      files.set(path, file);
    }
  }
  return [...files.values()].sort((a, b) => a.path.localeCompare(b.path));
}

/** The headline above a line of Markdown. */
export function sectionAt(markdown: string, line: number): string {
  const lines = markdown.split('\n');
  let isCode = false;
  let section = '';
  for (const text of lines.slice(0, line)) {
    if (/^\s*(```|~~~)/.test(text)) isCode = !isCode;
    const head = isCode ? null : /^#{1,6}\s+(.*?)\s*#*$/.exec(text);
    if (head) section = head[1] ?? '';
  }
  return section;
}

/** The line (from 1) where the task's headline stands. */
export function lineOfTask(markdown: string, task: PlanTask): number | null {
  const found = markdown
    .split('\n')
    .findIndex((line) => /^#{1,6}\s/.test(line) && line.trimEnd().endsWith(task.title));
  return found < 0 ? null : found + 1;
}
