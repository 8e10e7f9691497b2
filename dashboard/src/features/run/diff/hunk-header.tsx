import { type EditIndex, type Origin, originOf } from '@/model/diff/provenance';
import type { DiffHunk } from '@/model/diff/unified-diff';
import { VisibleText } from '@/ui/visible-text';
import type { TaskRef } from '@/wire/log/TaskRef';
import { SeqLink } from '../seq-link';

type HunkHeaderProps = { run: string; path: string; hunk: DiffHunk; edits: EditIndex | null };

export function HunkHeader({ run, path, hunk, edits }: HunkHeaderProps) {
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-x-3 border-y border-line bg-diff-hunk px-3 py-0.5 font-sans text-2xs text-diff-hunk-fg">
      <span className="tabular font-mono whitespace-nowrap">
        −{hunk.oldStart},{hunk.oldLines} +{hunk.newStart},{hunk.newLines}
      </span>
      {hunk.heading && (
        <span className="min-w-0 truncate font-mono">
          <VisibleText>{hunk.heading}</VisibleText>
        </span>
      )}
      {edits && (
        <span className="ml-auto">
          <From run={run} origin={originOf(edits, path, hunk)} />
        </span>
      )}
    </div>
  );
}

function From({ run, origin }: { run: string; origin: Origin }) {
  switch (origin.kind) {
    case 'calls':
      return <FromCalls run={run} origin={origin} />;
    case 'plan':
      return <span>this run’s plan, written by Amelia</span>;
    case 'task':
      return (
        <span title="Only this task committed changes to this file">{taskName(origin.task)}</span>
      );
    case 'command':
      return (
        <span title="No logged edit made these lines, but this command names the file">
          possibly a command · <CallLink run={run} seq={origin.edit.seq} name={origin.edit.tool} />
        </span>
      );
    case 'unknown':
      return <span title="No logged tool call made these lines">origin unknown</span>;
  }
}

type FromCallsProps = { run: string; origin: Extract<Origin, { kind: 'calls' }> };

function FromCalls({ run, origin }: FromCallsProps) {
  const { edits, rest } = origin;
  const [first, second] = edits;
  if (!first) return null;
  const { task, agent, visit } = first.edit;
  const more = edits.length - 2;
  return (
    <span className="flex flex-wrap items-center gap-x-1">
      {task && (
        <>
          <span title={task.title}>Task {task.index + 1}</span> ·
        </>
      )}
      <span title={`Visit ${visit} of ${first.edit.node}`}>{agent}</span> ·
      <CallLink run={run} seq={first.edit.seq} name={first.edit.tool} />
      {second && (
        <>
          + <CallLink run={run} seq={second.edit.seq} name={second.edit.tool} />
        </>
      )}
      {more > 0 && <span>and {more} more</span>}
      {rest > 0 && (
        <span title="No logged tool call made these lines">
          · {rest} {rest === 1 ? 'line' : 'lines'} of unknown origin
        </span>
      )}
    </span>
  );
}

const taskName = (task: TaskRef) => `Task ${task.index + 1}: ${task.title}`;

function CallLink({ run, seq, name }: { run: string; seq: number; name: string }) {
  return (
    <SeqLink
      run={run}
      seq={seq}
      className="rounded-sm font-mono text-accent-text underline-offset-2 hover:underline"
    >
      {name} #{seq}
    </SeqLink>
  );
}
