// Where a hunk comes from: the calls that wrote its lines, as the log has them; else the task whose commit has the file;
// else unknown. What is only likely is shown as such.

import type { CallItem, Transcript } from '@/model/stream/transcript';
import type { TaskRef } from '@/wire/log/TaskRef';
import { type FileChange, fileChangesOf, fitsLine, plainTool } from './file-changes';
import type { DiffChange, DiffHunk } from './unified-diff';

/** A call that changes files, and in which stage it was made. */
export type EditCall = {
  seq: number;
  tool: string;
  agent: string;
  node: string;
  visit: number;
  task: TaskRef | null;
};

export type Origin =
  /** These calls wrote its lines, the one with most lines first; the origin of `rest` lines is unknown. */
  | { kind: 'calls'; edits: { edit: EditCall; lines: number }[]; rest: number }
  /** The plan itself, which the run writes into its branch. */
  | { kind: 'plan' }
  /** Only this task has committed changes to the file. */
  | { kind: 'task'; task: TaskRef }
  /** No edit made it, but a command names the file. */
  | { kind: 'command'; edit: EditCall }
  | { kind: 'unknown' };

type IndexedEdit = { edit: EditCall; change: FileChange };

export type EditIndex = {
  changes: Map<string, IndexedEdit[]>;
  commands: { edit: EditCall; text: string }[];
  /** Who has committed changes to which file. */
  tasks: Map<string, TaskRef[]>;
  /** Where the run keeps its plan. */
  plan: string | null;
};

export type EditIndexOptions = Partial<Pick<EditIndex, 'tasks' | 'plan'>> & { at?: number | null };

const commandTools = new Set(['shell', 'Bash', 'bash', 'exec', 'run_command']);

/** Everything in the log up to `at` that may have made a change. */
export function editIndexOf(
  transcript: Transcript,
  root: string,
  options: EditIndexOptions = {},
): EditIndex {
  const { tasks = new Map<string, TaskRef[]>(), plan = null, at = null } = options;
  const edits: EditIndex = { changes: new Map(), commands: [], tasks, plan };
  for (const section of transcript.sections) {
    if (section.kind !== 'visit') continue;
    for (const item of section.items) {
      if (item.kind !== 'call' || (at !== null && item.seq > at)) continue;
      const edit: EditCall = {
        seq: item.seq,
        tool: plainTool(item.call.tool),
        agent: item.agent,
        node: section.node,
        visit: section.visit,
        task: section.task,
      };
      addCall(edits, edit, item, root);
    }
  }
  return edits;
}

function addCall(edits: EditIndex, edit: EditCall, item: CallItem, root: string): void {
  const command = item.call.args.command;
  if (commandTools.has(edit.tool) && item.result && typeof command === 'string')
    edits.commands.push({ edit, text: command });
  for (const change of fileChangesOf(item, root)) {
    const known = edits.changes.get(change.path);
    if (known) known.push({ edit, change });
    else edits.changes.set(change.path, [{ edit, change }]);
  }
}

/** Brackets and blank lines are everywhere: they prove nothing. */
const isTelling = (line: string) => /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line);

export function originOf(edits: EditIndex, path: string, hunk: DiffHunk): Origin {
  const candidates = edits.changes.get(path) ?? [];
  const changed = hunk.changes.filter(({ type }) => type !== 'normal');
  const telling = changed.filter(({ content }) => isTelling(content));
  const judged = telling.length > 0 ? telling : changed;
  const counts = new Map<EditCall, number>();
  let rest = 0;
  for (const change of judged) {
    const edit = editOf(candidates, change);
    if (edit) counts.set(edit, (counts.get(edit) ?? 0) + 1);
    else rest += 1;
  }
  if (counts.size > 0) {
    const list = [...counts].map(([edit, lines]) => ({ edit, lines }));
    list.sort((a, b) => b.lines - a.lines || b.edit.seq - a.edit.seq);
    return { kind: 'calls', edits: list, rest };
  }
  return fallbackOrigin(edits, path);
}

function fallbackOrigin(edits: EditIndex, path: string): Origin {
  if (path === edits.plan) return { kind: 'plan' };
  const tasks = edits.tasks.get(path) ?? [];
  const [task] = tasks;
  if (task && tasks.length === 1) return { kind: 'task', task };
  const command = edits.commands.findLast(({ text }) => names(text, path));
  return command ? { kind: 'command', edit: command.edit } : { kind: 'unknown' };
}

/** Whether the file stands in the command as a word. */
function names(command: string, path: string): boolean {
  return command.split(/[\s"'`;|&<>()=]+/).some((word) => word.replace(/^\.\//, '') === path);
}

function editOf(candidates: IndexedEdit[], change: DiffChange): EditCall | null {
  return change.type === 'insert'
    ? adderOf(candidates, change.content)
    : removerOf(candidates, change.content);
}

/** The latest that put the line there. A file written anew keeps the lines that were there before with those who made them. */
function adderOf(candidates: IndexedEdit[], line: string): EditCall | null {
  let edit: EditCall | null = null;
  for (const { edit: next, change } of candidates) {
    if (change.whole) {
      if (!change.whole.has(line)) edit = null;
      else edit ??= next;
    } else if (change.added.some((test) => fitsLine(test, line))) edit = next;
    else if (change.removed.some((test) => test.fits === 'whole' && test.text === line))
      edit = null;
  }
  return edit;
}

/** The latest that took it away by name; else the first that wrote the file without it. */
function removerOf(candidates: IndexedEdit[], line: string): EditCall | null {
  const named = candidates.findLast(({ change }) =>
    change.removed.some((test) => fitsLine(test, line)),
  );
  if (named) return named.edit;
  return candidates.find(({ change }) => change.whole && !change.whole.has(line))?.edit ?? null;
}
