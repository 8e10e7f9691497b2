import { describe, expect, it } from 'vitest';
import { type DiffFile, parseUnified, placeOf, unquoted } from './unified-diff';

const brief = (file: DiffFile) =>
  `${file.kind} ${file.oldPath} > ${file.path} +${file.added} -${file.removed} ${file.isBinary ? 'binary' : `${file.hunks.length} hunks`}`;

const cases: [string, string, string[]][] = [
  ['nothing', '', []],
  [
    'a change and a new file',
    'diff --git a/a.sh b/a.sh\nindex 1..2 100755\n--- a/a.sh\n+++ b/a.sh\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-a\n+b\ndiff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n',
    ['modify a.sh > a.sh +1 -1 1 hunks', 'add n > n +1 -0 1 hunks'],
  ],
  [
    'lines that look like headers',
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a comment\n+++ b comment\n same\n',
    ['modify x > x +1 -1 1 hunks'],
  ],
  [
    'a binary file, a rename and a mode',
    'diff --git a/i.png b/i.png\nnew file mode 100644\nindex 0..1\nBinary files /dev/null and b/i.png differ\ndiff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\ndiff --git a/m b/m\nold mode 100644\nnew mode 100755\n',
    [
      'add i.png > i.png +0 -0 binary',
      'rename old name > new name +0 -0 0 hunks',
      'modify m > m +0 -0 0 hunks',
    ],
  ],
  [
    'names with spaces and in quotes',
    'diff --git a/a b.txt b/a b.txt\n--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -1 +1 @@\n-1\n+2\ndiff --git "a/\\303\\244.txt" "b/\\303\\244.txt"\ndeleted file mode 100644\n--- "a/\\303\\244.txt"\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n',
    ['modify a b.txt > a b.txt +1 -1 1 hunks', 'delete ä.txt > ä.txt +0 -1 1 hunks'],
  ],
  [
    'what a tool prints, without the line of git',
    '--- calc.sh\n+++ calc.sh\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-a\n+b\n--- two\n+++ two\n@@ -1 +1 @@\n-a\n+b\n',
    ['modify calc.sh > calc.sh +1 -1 1 hunks', 'modify two > two +1 -1 1 hunks'],
  ],
  [
    'a diff that is cut',
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b',
    ['modify x > x +0 -1 1 hunks'],
  ],
  ['hunks only', '@@ -1 +1 @@\n-a\n+b\n', ['modify  >  +1 -1 1 hunks']],
];

describe('a unified diff', () => {
  it.each(cases)('is read: %s', (_, text, wanted) => {
    expect(parseUnified(text).map(brief)).toEqual(wanted);
  });

  it('numbers the lines of both sides', () => {
    const [file] = parseUnified('--- x\n+++ x\n@@ -5,3 +7,3 @@ fn main()\n a\n-b\n+c\n d\n');
    expect(file?.hunks[0]?.heading).toBe('fn main()');
    expect(file?.hunks[0]?.changes.map(placeOf)).toEqual([
      { side: 'new', line: 7 },
      { side: 'old', line: 6 },
      { side: 'new', line: 8 },
      { side: 'new', line: 9 },
    ]);
  });

  it('takes names out of their quotes', () => {
    expect(unquoted('"a\\tb\\"c\\\\d"')).toBe('a\tb"c\\d');
  });
});
