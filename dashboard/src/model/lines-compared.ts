// Two texts line by line: what both have, and what only one of them has. Pure.

export type ComparedLine = { in: 'both' | 'a' | 'b'; text: string };

/** Beyond this many pairs the middle is shown as wholly different: nobody waits for a comparison. */
const PATIENCE = 4_000_000;

export function linesCompared(a: string, b: string): ComparedLine[] {
  const left = a.split('\n');
  const right = b.split('\n');
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (
    end < left.length - start &&
    end < right.length - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  ) {
    end += 1;
  }
  const both = (lines: string[]): ComparedLine[] => lines.map((text) => ({ in: 'both', text }));
  return [
    ...both(left.slice(0, start)),
    ...middle(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...both(left.slice(left.length - end)),
  ];
}

function middle(a: string[], b: string[]): ComparedLine[] {
  const only = (side: 'a' | 'b', lines: string[]): ComparedLine[] =>
    lines.map((text) => ({ in: side, text }));
  if (a.length * b.length > PATIENCE) return [...only('a', a), ...only('b', b)];
  const width = b.length + 1;
  // common[i * width + j]: how many lines `a` from i and `b` from j have in common, in order.
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: ComparedLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i];
    const right = b[j];
    if (left !== undefined && left === right) {
      lines.push({ in: 'both', text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ in: 'a', text: left });
      i += 1;
    } else if (right !== undefined) {
      lines.push({ in: 'b', text: right });
      j += 1;
    }
  }
  return lines;
}

/** A stretch of lines; one that is far from any difference is folded. */
export type Stretch = { isFolded: boolean; lines: ComparedLine[]; from: number };

export function foldedLines(lines: readonly ComparedLine[], context = 3): Stretch[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach((line, index) => {
    if (line.in === 'both') return;
    for (let at = index - context; at <= index + context; at += 1) {
      if (at >= 0 && at < lines.length) near[at] = true;
    }
  });
  const stretches: Stretch[] = [];
  lines.forEach((line, index) => {
    const isFolded = near[index] !== true;
    const last = stretches.at(-1);
    if (last && last.isFolded === isFolded) last.lines.push(line);
    else stretches.push({ isFolded, lines: [line], from: index });
  });
  // To unfold one or two lines is more work than to read them.
  return stretches.map((one) => (one.lines.length <= 2 ? { ...one, isFolded: false } : one));
}
