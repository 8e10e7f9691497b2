// A part of time, and how to move over it: for bars on an axis.

export type Span = { from: number; to: number };

const MIN_SPAN_MS = 5;

/** Makes it shorter or longer around a place (0 … 1), never beyond the whole. */
export function zoomed(span: Span, whole: Span, factor: number, around: number): Span {
  const length = span.to - span.from;
  const longest = Math.max(whole.to - whole.from, MIN_SPAN_MS);
  const next = Math.min(Math.max(length * factor, MIN_SPAN_MS), longest);
  const from = span.from + (length - next) * around;
  return within({ from, to: from + next }, whole);
}

/** Moves it by a part of its length. */
export function panned(span: Span, whole: Span, by: number): Span {
  const move = (span.to - span.from) * by;
  return within({ from: span.from + move, to: span.to + move }, whole);
}

function within({ from, to }: Span, whole: Span): Span {
  const length = to - from;
  if (length >= whole.to - whole.from) return { from: whole.from, to: whole.from + length };
  if (from < whole.from) return { from: whole.from, to: whole.from + length };
  return to > whole.to ? { from: whole.to - length, to: whole.to } : { from, to };
}

/** Where a bar stands in a span, from 0 to 1; nothing when it is not in it. */
export function barIn(
  span: Span,
  start: number,
  end: number,
): { left: number; width: number } | null {
  if (end < span.from || start > span.to) return null;
  const length = Math.max(span.to - span.from, 1);
  const left = Math.max(0, (start - span.from) / length);
  const right = Math.min(1, (end - span.from) / length);
  return { left, width: Math.max(right - left, 0) };
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000,
  300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000,
  86_400_000,
];

/** Round moments since `origin`, at most `most` of them. */
export function ticksOf(span: Span, origin: number, most: number): number[] {
  const length = span.to - span.from;
  const day = 86_400_000;
  const step = STEPS.find((one) => length / one <= most) ?? Math.ceil(length / most / day) * day;
  const ticks: number[] = [];
  const first = Math.ceil((span.from - origin) / step) * step;
  for (let at = first; at <= span.to - origin; at += step) ticks.push(at);
  return ticks;
}
