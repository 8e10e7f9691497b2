// A run of a workflow, an agent or a team, as it is typed and as it is sent.

import type { NewTask } from '@/wire/NewTask';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import type { DefinitionKind } from './definition';

export type TaskDraft = {
  prompt: string;
  /** As they are typed, by name. */
  inputs: Readonly<Record<string, string>>;
  /** Where it stops, one per line. */
  breakpoints: string;
};

export const emptyTask: TaskDraft = { prompt: '', inputs: {}, breakpoints: '' };

/** The lines that say something. */
export const breakpointsIn = ({ breakpoints }: Pick<TaskDraft, 'breakpoints'>) =>
  breakpoints
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** JSON if it is JSON, else text: as the command line reads it. */
export function readValue(typed: string): JsonValue {
  try {
    return JSON.parse(typed) as JsonValue;
  } catch {
    return typed;
  }
}

/** Inputs that are not empty, of those that the workflow has. */
export function givenInputs(draft: TaskDraft, names: readonly string[]): Record<string, string> {
  const given = names.map((name) => [name, (draft.inputs[name] ?? '').trim()] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

export type TaskInput = Partial<NewTask> & { worktree_path: string };

export function taskOf(
  kind: DefinitionKind,
  name: string,
  draft: TaskDraft,
  inputs: readonly string[],
  directory: string,
): TaskInput {
  const given = Object.entries(givenInputs(draft, inputs));
  const breakpoints = breakpointsIn(draft);
  return {
    [kind]: name,
    prompt: draft.prompt.trim(),
    worktree_path: directory,
    ...(given.length > 0
      ? { inputs: Object.fromEntries(given.map(([key, value]) => [key, readValue(value)])) }
      : {}),
    ...(breakpoints.length > 0 ? { breakpoints } : {}),
  };
}

/** Why it cannot be started, if so. */
export function blockedBy(
  kind: DefinitionKind,
  draft: TaskDraft,
  problemCount: number,
  directory: string,
): string | null {
  // A team can work without one.
  if (directory === '' && kind !== 'team') return 'Choose a repository first.';
  if (problemCount > 0) return 'The file has problems. Fix them first.';
  if (kind !== 'workflow' && draft.prompt.trim() === '') return 'Describe the task.';
  return null;
}
