// Which lines of which files a tool call has written: our own tools, and those of the programs we drive.

import type { CallItem } from '@/model/stream/transcript';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { editsBetween } from './line-diff';
import { parseUnified } from './unified-diff';

/** What one call did to one file. */
export type FileChange = {
  path: string;
  added: LineTest[];
  removed: LineTest[];
  /** The file was written from its first line to its last: these are all its lines. */
  whole: Set<string> | null;
};

/** A whole line, or a piece of one: edits need not begin and end with a line. */
export type LineTest = { text: string; fits: 'whole' | 'end' | 'start' | 'within' };

export function fitsLine(test: LineTest, line: string): boolean {
  if (test.fits === 'whole') return line === test.text;
  if (test.text.trim() === '') return false;
  if (test.fits === 'end') return line.endsWith(test.text);
  return test.fits === 'start' ? line.startsWith(test.text) : line.includes(test.text);
}

const whole = (text: string): LineTest => ({ text, fits: 'whole' });
const linesOf = (text: string) => text.replace(/\n$/, '').split('\n');

type Args = { [key in string]?: JsonValue };

const isObject = (value: JsonValue | undefined): value is { [key in string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: JsonValue | undefined) => (typeof value === 'string' ? value : null);
const objectsOf = (value: JsonValue | undefined) =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** `files.edit_file`, `mcp__files__edit_file` and `edit_file` are one tool to a reader. */
export const plainTool = (tool: string) => tool.split(/\.|__/).at(-1) ?? tool;

/** Nothing for a call that changed no file, failed, or has not come back. */
export function fileChangesOf({ call, result }: CallItem, root: string): FileChange[] {
  if (!result || result.error != null) return [];
  const { args } = call;
  const inside = (path: string | null) => (path === null ? null : relative(path, root));
  switch (plainTool(call.tool)) {
    case 'edit_file':
      return ofEdits(inside(textOf(args.path)), result.output, objectsOf(args.edits), 'old', 'new');
    case 'write_file':
      return ofWrite(inside(textOf(args.path)), textOf(args.content));
    case 'Write':
      return ofWrite(inside(textOf(args.file_path)), textOf(args.content));
    case 'Edit':
      return ofEdits(inside(textOf(args.file_path)), '', [args], 'old_string', 'new_string');
    case 'MultiEdit':
      return ofEdits(
        inside(textOf(args.file_path)),
        '',
        objectsOf(args.edits),
        'old_string',
        'new_string',
      );
    case 'apply_patch':
      return [
        ...ofPatch(textOf(args.patch) ?? '', root),
        ...objectsOf(args.changes).flatMap((change) => ofChange(change, root)),
      ];
    default:
      return [];
  }
}

function relative(path: string, root: string): string {
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path.replace(/^\.\//, '');
}

function ofWrite(path: string | null, content: string | null): FileChange[] {
  if (path === null || content === null) return [];
  const lines = linesOf(content);
  return [{ path, added: lines.map(whole), removed: [], whole: new Set(lines) }];
}

function ofEdits(
  path: string | null,
  output: string,
  edits: Args[],
  old: string,
  fresh: string,
): FileChange[] {
  if (path === null) return [];
  // The tool's own diff has whole lines: better than pieces.
  const [shown] = parseUnified(output);
  if (shown && shown.hunks.length > 0) return [{ ...ofHunks(shown), path }];
  const change: FileChange = { path, added: [], removed: [], whole: null };
  for (const edit of edits) {
    const before = textOf(edit[old]) ?? '';
    const after = textOf(edit[fresh]) ?? '';
    change.added.push(...pieces(before, after, '+'));
    change.removed.push(...pieces(before, after, '-'));
  }
  return [change];
}

/** The lines of one side that the other has not; the outer ones may be pieces of longer lines. */
function pieces(before: string, after: string, sign: '+' | '-'): LineTest[] {
  const other = sign === '+' ? '-' : '+';
  const edits = editsBetween(before.split('\n'), after.split('\n'));
  const side = edits.filter((edit) => edit.sign !== other);
  return side.flatMap((edit, index): LineTest[] => {
    if (edit.sign !== sign) return [];
    const [isFirst, isLast] = [index === 0, index === side.length - 1];
    if (isFirst && isLast) return [{ text: edit.text, fits: 'within' }];
    if (isFirst) return [{ text: edit.text, fits: 'end' }];
    return [isLast ? { text: edit.text, fits: 'start' } : whole(edit.text)];
  });
}

function ofHunks(file: ReturnType<typeof parseUnified>[number]): FileChange {
  const all = file.hunks.flatMap(({ changes }) => changes);
  const lines = (type: string) =>
    all.filter((change) => change.type === type).map(({ content }) => whole(content));
  return { path: file.path, added: lines('insert'), removed: lines('delete'), whole: null };
}

/** A change as codex tells it: the content of a new or a deleted file, the hunks of another. */
function ofChange(change: Args, root: string): FileChange[] {
  const given = textOf(change.path);
  const diff = textOf(change.diff);
  if (given === null || diff === null) return [];
  const path = relative(given, root);
  const [hunks] = parseUnified(diff);
  if (hunks && hunks.hunks.length > 0) return [{ ...ofHunks(hunks), path }];
  if (change.kind === 'add') return ofWrite(path, diff);
  if (change.kind !== 'delete') return [];
  return [{ path, added: [], removed: linesOf(diff).map(whole), whole: null }];
}

/** A unified diff, or the form between `*** Begin Patch` and `*** End Patch`. */
function ofPatch(patch: string, root: string): FileChange[] {
  if (!patch.includes('*** Begin Patch')) {
    return parseUnified(patch).map((file) => ({
      ...ofHunks(file),
      path: relative(file.path, root),
    }));
  }
  const files: FileChange[] = [];
  for (const line of patch.split('\n')) {
    const head = /^\*\*\* (Update|Add|Delete) File: (.*)$/.exec(line);
    const moved = /^\*\*\* Move to: (.*)$/.exec(line);
    const file = files.at(-1);
    if (head) {
      const path = relative((head[2] ?? '').trim(), root);
      files.push({ path, added: [], removed: [], whole: null });
    } else if (moved && file) file.path = relative((moved[1] ?? '').trim(), root);
    else if (line.startsWith('+')) file?.added.push(whole(line.slice(1)));
    else if (line.startsWith('-')) file?.removed.push(whole(line.slice(1)));
  }
  return files;
}
