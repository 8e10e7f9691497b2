// Who made a hunk: the calls that wrote its lines, as the log has them; else the task whose commit has the file; else that
// nobody knows. Evidence is said as what it is.

import type { CallItem, Story } from '@/model/stream/story';
import type { TaskRef } from '@/wire/log/TaskRef';
import { type FileChange, fileChangesOf, fitsLine, plainTool } from './file-changes';
import type { DiffChange, DiffHunk } from './unified-diff';

/** A call that changes files, and in which stage it was made. */
export type Maker = {
  seq: number;
  tool: string;
  agent: string;
  node: string;
  visit: number;
  task: TaskRef | null;
};

export type Origin =
  /** These calls wrote its lines, the one with most lines first; `rest` lines are of nobody we know. */
  | { kind: 'calls'; makers: { maker: Maker; lines: number }[]; rest: number }
  /** The plan itself, which the run writes into its branch. */
  | { kind: 'plan' }
  /** Only this task has committed changes to the file. */
  | { kind: 'task'; task: TaskRef }
  /** No edit made it, but a command names the file. */
  | { kind: 'command'; maker: Maker }
  | { kind: 'unknown' };

type Made = { maker: Maker; change: FileChange };

export type Makers = {
  changes: Map<string, Made[]>;
  commands: { maker: Maker; text: string }[];
  /** Who has committed changes to which file. */
  tasks: Map<string, TaskRef[]>;
  /** Where the run keeps its plan. */
  plan: string | null;
};

export type Known = Partial<Pick<Makers, 'tasks' | 'plan'>> & { at?: number | null };

const commandTools = new Set(['shell', 'Bash', 'bash', 'exec', 'run_command']);

/** Everything in the log up to `at` that may have made a change. */
export function makersOf(story: Story, ground: string, known: Known = {}): Makers {
  const { tasks = new Map<string, TaskRef[]>(), plan = null, at = null } = known;
  const makers: Makers = { changes: new Map(), commands: [], tasks, plan };
  for (const section of story.sections) {
    if (section.kind !== 'visit') continue;
    for (const item of section.items) {
      if (item.kind !== 'call' || (at !== null && item.seq > at)) continue;
      const maker: Maker = {
        seq: item.seq,
        tool: plainTool(item.call.tool),
        agent: item.agent,
        node: section.node,
        visit: section.visit,
        task: section.task,
      };
      note(makers, maker, item, ground);
    }
  }
  return makers;
}

function note(makers: Makers, maker: Maker, item: CallItem, ground: string): void {
  const command = item.call.args.command;
  if (commandTools.has(maker.tool) && item.result && typeof command === 'string')
    makers.commands.push({ maker, text: command });
  for (const change of fileChangesOf(item, ground)) {
    const known = makers.changes.get(change.path);
    if (known) known.push({ maker, change });
    else makers.changes.set(change.path, [{ maker, change }]);
  }
}

/** Brackets and blank lines are everywhere: they prove nothing. */
const isTelling = (line: string) => /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line);

export function originOf(makers: Makers, path: string, hunk: DiffHunk): Origin {
  const made = makers.changes.get(path) ?? [];
  const changed = hunk.changes.filter(({ type }) => type !== 'normal');
  const telling = changed.filter(({ content }) => isTelling(content));
  const judged = telling.length > 0 ? telling : changed;
  const counts = new Map<Maker, number>();
  let rest = 0;
  for (const change of judged) {
    const maker = makerOf(made, change);
    if (maker) counts.set(maker, (counts.get(maker) ?? 0) + 1);
    else rest += 1;
  }
  if (counts.size > 0) {
    const list = [...counts].map(([maker, lines]) => ({ maker, lines }));
    list.sort((a, b) => b.lines - a.lines || b.maker.seq - a.maker.seq);
    return { kind: 'calls', makers: list, rest };
  }
  return otherwise(makers, path);
}

function otherwise(makers: Makers, path: string): Origin {
  if (path === makers.plan) return { kind: 'plan' };
  const tasks = makers.tasks.get(path) ?? [];
  const [task] = tasks;
  if (task && tasks.length === 1) return { kind: 'task', task };
  const command = makers.commands.findLast(({ text }) => names(text, path));
  return command ? { kind: 'command', maker: command.maker } : { kind: 'unknown' };
}

/** Whether the file stands in the command as a word. */
function names(command: string, path: string): boolean {
  return command.split(/[\s"'`;|&<>()=]+/).some((word) => word.replace(/^\.\//, '') === path);
}

function makerOf(made: Made[], change: DiffChange): Maker | null {
  return change.type === 'insert' ? adderOf(made, change.content) : removerOf(made, change.content);
}

/** The latest that put the line there. A file written anew keeps the lines that were there before with those who made them. */
function adderOf(made: Made[], line: string): Maker | null {
  let maker: Maker | null = null;
  for (const { maker: next, change } of made) {
    if (change.whole) {
      if (!change.whole.has(line)) maker = null;
      else maker ??= next;
    } else if (change.added.some((test) => fitsLine(test, line))) maker = next;
    else if (change.removed.some((test) => test.fits === 'whole' && test.text === line))
      maker = null;
  }
  return maker;
}

/** The latest that took it away by name; else the first that wrote the file without it. */
function removerOf(made: Made[], line: string): Maker | null {
  const named = made.findLast(({ change }) => change.removed.some((test) => fitsLine(test, line)));
  if (named) return named.maker;
  return made.find(({ change }) => change.whole && !change.whole.has(line))?.maker ?? null;
}
