import { describe, expect, it } from 'vitest';
import { type CallItem, Transcript } from '@/model/stream/transcript';
import type { LogEvent } from '@/wire/LogEvent';
import type { TaskRef } from '@/wire/log/TaskRef';
import recording from '../../../../crates/amelia/demo/recording.jsonl?raw';
import { fileChangesOf } from './file-changes';
import { type EditIndex, editIndexOf, type Origin, originOf } from './provenance';
import { parseUnified } from './unified-diff';

const root = '/tree';

type TestCall = { tool: string; args: CallItem['call']['args']; output?: string; error?: string };

function item({ tool, args, output = '', error }: TestCall, seq = 1): CallItem {
  return {
    kind: 'call',
    seq,
    at: '',
    agent: 'developer',
    session: null,
    call: { id: String(seq), tool, args },
    result: { call: String(seq), tool, output, ...(error ? { error } : {}) },
    endSeq: seq,
  };
}

const task: TaskRef = { id: '1', title: 'One', index: 0, total: 2 };

function edits(calls: TestCall[], tasks: EditIndex['tasks'] = new Map()): EditIndex {
  const transcript = new Transcript();
  transcript.sections.push({
    kind: 'visit',
    step: 1,
    node: 'develop',
    visit: 1,
    fromSeq: 0,
    toSeq: null,
    startedAt: '',
    endedAt: null,
    durationMs: null,
    task,
    agents: [],
    items: calls.map((call, index) => item(call, index + 1)),
    spend: { usd: 0, tokens: 0, calls: 0, unpriced_calls: 0, estimated_calls: 0 },
    errors: 0,
  });
  return editIndexOf(transcript, root, { tasks, plan: 'docs/plan.md' });
}

function said(origin: Origin): string {
  switch (origin.kind) {
    case 'calls':
      return `${origin.edits.map(({ edit, lines }) => `${edit.tool}#${edit.seq}:${lines}`).join(' ')} rest ${origin.rest}`;
    case 'plan':
      return 'plan';
    case 'task':
      return `task ${origin.task.id}`;
    case 'command':
      return `command #${origin.edit.seq}`;
    case 'unknown':
      return 'unknown';
  }
}

const hunk = (lines: string) => {
  const count = (sign: string) =>
    lines.split('\n').filter((line) => line[0] === sign || line[0] === ' ').length;
  const [file] = parseUnified(`--- f\n+++ f\n@@ -1,${count('-')} +1,${count('+')} @@\n${lines}\n`);
  const [first] = file?.hunks ?? [];
  if (!first) throw new Error('no hunk');
  return first;
};

const changed = hunk(' fn main() {\n-    old();\n+    fresh();\n }');

const cases: [string, TestCall[], string][] = [
  [
    'our edit_file, by its diff',
    [
      {
        tool: 'edit_file',
        args: { path: 'f', edits: [{ old: 'old', new: 'fresh' }] },
        output: '--- f\n+++ f\n@@ -1,3 +1,3 @@\n fn main() {\n-    old();\n+    fresh();\n }\n',
      },
    ],
    'edit_file#1:2 rest 0',
  ],
  [
    'write_file: all that is in it, and nothing else',
    [{ tool: 'write_file', args: { path: './f', content: 'fn main() {\n    fresh();\n}\n' } }],
    'write_file#1:2 rest 0',
  ],
  [
    'a line that was there before the file was written anew',
    [
      {
        tool: 'edit_file',
        args: { path: 'f', edits: [] },
        output: '--- f\n+++ f\n@@ -2 +2 @@\n-    old();\n+    fresh();\n',
      },
      { tool: 'write_file', args: { path: 'f', content: '// hello\n    fresh();\n' } },
    ],
    'edit_file#1:2 rest 0',
  ],
  [
    "claude's Edit, by pieces of lines and a path from the root",
    [{ tool: 'Edit', args: { file_path: '/tree/f', old_string: 'old', new_string: 'fresh' } }],
    'Edit#1:2 rest 0',
  ],
  [
    "claude's MultiEdit",
    [
      {
        tool: 'MultiEdit',
        args: {
          file_path: 'f',
          edits: [{ old_string: '    old();\n}', new_string: '    fresh();\n}' }],
        },
      },
    ],
    'MultiEdit#1:2 rest 0',
  ],
  [
    'a patch between its marks',
    [
      {
        tool: 'apply_patch',
        args: {
          patch:
            '*** Begin Patch\n*** Update File: f\n@@\n-    old();\n+    fresh();\n*** End Patch',
        },
      },
    ],
    'apply_patch#1:2 rest 0',
  ],
  [
    "codex' changes",
    [
      {
        tool: 'apply_patch',
        args: {
          changes: [
            { path: 'f', kind: 'update', diff: '@@ -2 +2 @@\n-    old();\n+    fresh();\n' },
          ],
        },
      },
    ],
    'apply_patch#1:2 rest 0',
  ],
  [
    'the latest of two',
    [
      { tool: 'Edit', args: { file_path: 'f', old_string: 'old', new_string: 'fresh' } },
      { tool: 'Edit', args: { file_path: 'f', old_string: 'x', new_string: 'fresh' } },
    ],
    'Edit#2:1 Edit#1:1 rest 0',
  ],
  [
    'a failed call made nothing',
    [{ tool: 'write_file', args: { path: 'f', content: '    fresh();' }, error: 'no' }],
    'unknown',
  ],
  [
    'another file',
    [{ tool: 'write_file', args: { path: 'g', content: '    fresh();' } }],
    'unknown',
  ],
  [
    'a command that names the file',
    [{ tool: 'shell', args: { command: 'sed -i s/old/fresh/ ./f' } }],
    'command #1',
  ],
  ['a command that does not', [{ tool: 'shell', args: { command: 'make fmt off' } }], 'unknown'],
];

describe('a hunk', () => {
  it.each(cases)('%s', (_, calls, wanted) => {
    expect(said(originOf(edits(calls), 'f', changed))).toBe(wanted);
  });

  it('is of the only task that has committed its file', () => {
    const two: TaskRef = { ...task, id: '2', index: 1 };
    const of = (tasks: TaskRef[]) =>
      said(originOf(edits([], new Map([['f', tasks]])), 'f', changed));
    expect([of([task]), of([task, two]), of([])]).toEqual(['task 1', 'unknown', 'unknown']);
  });

  it('is of the run itself in the file of the plan', () => {
    expect(said(originOf(edits([]), 'docs/plan.md', changed))).toBe('plan');
  });

  it('says how many lines are of unknown origin', () => {
    const more = hunk(' fn main() {\n+    fresh();\n+    stranger();\n }');
    const call = { tool: 'Edit', args: { file_path: 'f', old_string: 'old', new_string: 'fresh' } };
    expect(said(originOf(edits([call]), 'f', more))).toBe('Edit#1:1 rest 1');
  });

  it('is found in a whole log', () => {
    const transcript = new Transcript();
    for (const line of recording.trim().split('\n')) {
      const event: LogEvent | undefined = JSON.parse(line).event;
      if (event) transcript.add(event);
    }
    const all = editIndexOf(transcript, '/nowhere');
    const calc = hunk(
      ' #!/bin/sh\n-echo $(($1 - $2))\n+# Adds two whole numbers.\n+for number in "$1" "$2"; do\n+    case "$number" in\n+    esac\n+done\n+echo $(($1 + $2))',
    );
    // Which calls these are depends on the recording.
    const calls = (text: string) => text.replaceAll(/#\d+/g, '');
    expect(calls(said(originOf(all, 'calc.sh', calc)))).toBe('write_file:5 edit_file:2 rest 0');
    const before = editIndexOf(transcript, '/nowhere', { at: 50 });
    expect(calls(said(originOf(before, 'calc.sh', calc)))).toBe('edit_file:2 rest 5');
  });

  it('a call without a result has changed nothing yet', () => {
    const open = {
      ...item({ tool: 'write_file', args: { path: 'f', content: 'x' } }),
      result: null,
    };
    expect(fileChangesOf(open, root)).toEqual([]);
  });
});
