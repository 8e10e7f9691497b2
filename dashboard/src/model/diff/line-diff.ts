// What has changed between two lists of lines: Myers' shortest edit script.
// Bounded: what differs in more than `MOST_EDITS` lines is shown as replaced as a whole.

export type Edit = { sign: ' ' | '-' | '+'; text: string };

const MOST_EDITS = 2_000;

/** The lines of a text; the end of its last line begins no other. */
export const linesOf = (text: string): string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n');

/** The edits that make `after` of `before`. */
export function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
  const { head, tail } = sharedEnds(before, after);
  const edits = signed(' ');
  return [
    ...before.slice(0, head).map(edits),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(edits),
  ];
}

/** How many pieces two lists have in common at their beginnings, and then at their ends. */
export function sharedEnds(a: readonly string[], b: readonly string[]) {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head, tail };
}

const signed =
  (sign: Edit['sign']) =>
  (text: string): Edit => ({ sign, text });

function middle(a: string[], b: string[]): Edit[] {
  const trace = a.length === 0 || b.length === 0 ? null : search(a, b);
  return trace ? walkedBack(a, b, trace) : [...a.map(signed('-')), ...b.map(signed('+'))];
}

/** How far each diagonal was reached before the edit with this number: from `-edit - 1` to `edit + 1`. */
type Reach = { edit: number; xs: Int32Array };

const reached = ({ edit, xs }: Reach, diagonal: number) => xs[diagonal + edit + 1] ?? 0;

/** One reach for each edit; `null` when there are too many. */
function search(a: string[], b: string[]): Reach[] | null {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  const zero = most + 1;
  const xs = new Int32Array(2 * most + 3);
  const trace: Reach[] = [];
  for (let edit = 0; edit <= most; edit += 1) {
    const reach = { edit, xs: xs.slice(zero - edit - 1, zero + edit + 2) };
    trace.push(reach);
    for (let diagonal = -edit; diagonal <= edit; diagonal += 2) {
      let x = isDown(reach, diagonal)
        ? reached(reach, diagonal + 1)
        : reached(reach, diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      xs[zero + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return trace;
    }
  }
  return null;
}

function isDown(reach: Reach, diagonal: number): boolean {
  if (diagonal === -reach.edit) return true;
  return diagonal !== reach.edit && reached(reach, diagonal - 1) < reached(reach, diagonal + 1);
}

function walkedBack(a: string[], b: string[], trace: Reach[]): Edit[] {
  const edits: Edit[] = [];
  let x = a.length;
  let y = b.length;
  for (const reach of trace.toReversed()) {
    const isFirst = reach.edit === 0;
    const from = isDown(reach, x - y) ? x - y + 1 : x - y - 1;
    const fromX = isFirst ? 0 : reached(reach, from);
    const fromY = isFirst ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      edits.push({ sign: ' ', text: a[x] ?? '' });
    }
    if (isFirst) break;
    if (x === fromX) edits.push({ sign: '+', text: b[y - 1] ?? '' });
    else edits.push({ sign: '-', text: a[x - 1] ?? '' });
    x = fromX;
    y = fromY;
  }
  return edits.reverse();
}
