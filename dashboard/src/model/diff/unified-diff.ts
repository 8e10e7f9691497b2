// Reads unified diffs as git and our tools write them, also when they are cut, binary, or have quoted names or no header.
// Ours, because `diff` throws at a cut hunk and drops its heading, and `gitdiff-parser` needs git's own line for each file.

export type DiffChange =
  | { type: 'insert'; isInsert: true; content: string; lineNumber: number }
  | { type: 'delete'; isDelete: true; content: string; lineNumber: number }
  | {
      type: 'normal';
      isNormal: true;
      content: string;
      oldLineNumber: number;
      newLineNumber: number;
    };

export type DiffHunk = {
  /** The whole line with the at-signs. */
  content: string;
  /** What stands behind the at-signs: the function around. */
  heading: string;
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  changes: DiffChange[];
};

export type DiffKind = 'add' | 'delete' | 'modify' | 'rename' | 'copy';

export type DiffFile = {
  /** As it is called now; the old name of a deleted file. */
  path: string;
  oldPath: string;
  kind: DiffKind;
  isBinary: boolean;
  /** `100644 → 100755`, when that changed. */
  mode: string | null;
  hunks: DiffHunk[];
  added: number;
  removed: number;
};

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

/** A name as git writes it: plain, or in quotes with the bytes of unusual characters in octal. */
export function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [piece] of name.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/g)) {
    if (/^\\[0-7]{3}$/.test(piece)) bytes.push(Number.parseInt(piece.slice(1), 8));
    else
      bytes.push(
        ...encoder.encode(piece.startsWith('\\') ? (escapes[piece.slice(1)] ?? piece) : piece),
      );
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const withoutPrefix = (name: string) => name.replace(/^[ab]\//, '');

/** `--- a/x` and `+++ b/x` may have a tab and a time behind the name. */
function named(rest: string): string | null {
  const name = unquoted(rest.startsWith('"') ? rest : (rest.split('\t')[0] ?? ''));
  return name === '/dev/null' ? null : withoutPrefix(name);
}

/** The two names of `diff --git a/x b/x`. */
function namesOf(rest: string): [string, string] {
  const quoted = /^("(?:\\.|[^"\\])*"|\S+) ("(?:\\.|[^"\\])*")$/.exec(rest);
  if (quoted) return [named(quoted[1] ?? '') ?? '', named(quoted[2] ?? '') ?? ''];
  // Names with spaces: both are alike but for the prefix, so the middle is where they part.
  const half = (rest.length - 1) / 2;
  const [first, second] = [rest.slice(0, half), rest.slice(half + 1)];
  if (withoutPrefix(first) === withoutPrefix(second))
    return [withoutPrefix(first), withoutPrefix(second)];
  const at = rest.indexOf(' b/');
  return at < 0 ? [rest, rest] : [withoutPrefix(rest.slice(0, at)), rest.slice(at + 3)];
}

function fresh(oldPath: string, path: string): DiffFile {
  return {
    path,
    oldPath,
    kind: 'modify',
    isBinary: false,
    mode: null,
    hunks: [],
    added: 0,
    removed: 0,
  };
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

class Reader {
  readonly files: DiffFile[] = [];
  private file: DiffFile | null = null;
  private hunk: DiffHunk | null = null;
  private oldLeft = 0;
  private newLeft = 0;
  private oldMode = '';

  line(line: string): void {
    if (this.hunk && (this.oldLeft > 0 || this.newLeft > 0) && this.change(line)) return;
    if (line.startsWith('\\')) return;
    const head = hunkHead.exec(line);
    if (head) this.startHunk(line, head);
    else this.header(line);
  }

  private change(line: string): boolean {
    const { hunk, file } = this;
    if (!hunk || !file) return false;
    const content = line.slice(1);
    const newLine = hunk.newStart + hunk.newLines - this.newLeft;
    const oldLine = hunk.oldStart + hunk.oldLines - this.oldLeft;
    const sign = line[0];
    if (sign === '+' && this.newLeft > 0) {
      hunk.changes.push({ type: 'insert', isInsert: true, content, lineNumber: newLine });
      this.newLeft -= 1;
      file.added += 1;
    } else if (sign === '-' && this.oldLeft > 0) {
      hunk.changes.push({ type: 'delete', isDelete: true, content, lineNumber: oldLine });
      this.oldLeft -= 1;
      file.removed += 1;
    } else if (sign === ' ' || line === '') {
      hunk.changes.push({
        type: 'normal',
        isNormal: true,
        content,
        oldLineNumber: oldLine,
        newLineNumber: newLine,
      });
      this.oldLeft -= 1;
      this.newLeft -= 1;
    } else return false;
    return true;
  }

  private startHunk(line: string, head: RegExpExecArray): void {
    this.file ??= this.startFile('', '');
    const [, oldStart, oldLines = '1', newStart, newLines = '1', heading = ''] = head;
    this.hunk = {
      content: line,
      heading,
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
      changes: [],
    };
    this.oldLeft = Number(oldLines);
    this.newLeft = Number(newLines);
    this.file.hunks.push(this.hunk);
  }

  private startFile(oldPath: string, path: string): DiffFile {
    this.file = fresh(oldPath, path);
    this.files.push(this.file);
    this.hunk = null;
    return this.file;
  }

  private header(line: string): void {
    if (line.startsWith('diff --git ')) {
      this.startFile(...namesOf(line.slice('diff --git '.length)));
      return;
    }
    if (line.startsWith('--- ')) {
      // A diff without git's own line begins here.
      const file = !this.file || this.file.hunks.length > 0 ? this.startFile('', '') : this.file;
      const name = named(line.slice(4));
      if (name === null) file.kind = 'add';
      else file.oldPath = name;
      return;
    }
    const file = this.file;
    if (!file || this.hunk) return;
    if (line.startsWith('+++ ')) {
      const name = named(line.slice(4));
      if (name === null) file.kind = 'delete';
      file.path = name ?? file.oldPath;
      if (file.oldPath === '') file.oldPath = file.path;
    } else this.extended(file, line);
  }

  private extended(file: DiffFile, line: string): void {
    const rest = (start: string) => unquoted(line.slice(start.length));
    if (line.startsWith('new file mode')) file.kind = 'add';
    else if (line.startsWith('deleted file mode')) file.kind = 'delete';
    else if (line.startsWith('old mode ')) this.oldMode = rest('old mode ');
    else if (line.startsWith('new mode ')) file.mode = `${this.oldMode} → ${rest('new mode ')}`;
    else if (line.startsWith('rename from ')) {
      file.kind = 'rename';
      file.oldPath = rest('rename from ');
    } else if (line.startsWith('rename to ')) file.path = rest('rename to ');
    else if (line.startsWith('copy from ')) {
      file.kind = 'copy';
      file.oldPath = rest('copy from ');
    } else if (line.startsWith('copy to ')) file.path = rest('copy to ');
    else if (line.startsWith('Binary files ') || line === 'GIT binary patch') file.isBinary = true;
  }
}

export function parseUnified(text: string): DiffFile[] {
  const reader = new Reader();
  for (const line of text.replace(/\n$/, '').split('\n')) reader.line(line);
  return reader.files;
}

/** The line of a change as a reader would point at it, and on which side it is. */
export function placeOf(change: DiffChange): { side: 'old' | 'new'; line: number } {
  if (change.type === 'delete') return { side: 'old', line: change.lineNumber };
  if (change.type === 'insert') return { side: 'new', line: change.lineNumber };
  return { side: 'new', line: change.newLineNumber };
}
