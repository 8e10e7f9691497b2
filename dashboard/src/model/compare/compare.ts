// Two runs side by side: what stands beside what, and whether it is the same. Pure.

import type { ChangedFile } from '@/wire/ChangedFile';
import type { RunSummary } from '@/wire/RunSummary';
import type { Spent } from '@/wire/Spent';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type Pair<T> = { name: string; a: T | null; b: T | null; isSame: boolean };

/** Two maps as one list: first in the order of `a`, then what only `b` has. */
export function paired<T>(
  a: Readonly<Record<string, T | undefined>>,
  b: Readonly<Record<string, T | undefined>>,
  isSame: (a: T, b: T) => boolean,
): Pair<T>[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.map((name) => {
    const left = a[name] ?? null;
    const right = b[name] ?? null;
    return {
      name,
      a: left,
      b: right,
      isSame: left !== null && right !== null && isSame(left, right),
    };
  });
}

export function pairedFiles(a: readonly ChangedFile[], b: readonly ChangedFile[]) {
  const byPath = (files: readonly ChangedFile[]) =>
    Object.fromEntries(files.map((file) => [file.path, file]));
  const isSame = (x: ChangedFile, y: ChangedFile) => x.added === y.added && x.removed === y.removed;
  return paired(byPath(a), byPath(b), isSame).sort((x, y) => x.name.localeCompare(y.name));
}

export type DiffSize = { files: number; added: number; removed: number };

export const diffSize = (files: readonly ChangedFile[]): DiffSize => ({
  files: files.length,
  added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
  removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
});

/** Whether the spending of two runs has the same numbers. */
export const sameSpent = (a: Spent, b: Spent): boolean =>
  a.tokens === b.tokens &&
  a.cost_usd === b.cost_usd &&
  a.calls === b.calls &&
  a.unpriced_calls === b.unpriced_calls;

export type CheckShown = { name: string; passed: boolean };

/** The checks that ran last, as far as the state has them in a known shape. */
export function checksIn(value: JsonValue): CheckShown[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return [];
    const { name, passed } = one;
    return typeof name === 'string' && typeof passed === 'boolean' ? [{ name, passed }] : [];
  });
}

/** How much more `b` is than `a`, as `0.25` for a quarter; `null` when one of them is nothing. */
export const growth = (a: number | null, b: number | null): number | null =>
  !a || !b ? null : (b - a) / a;

type Family = Pick<RunSummary, 'id' | 'forked_from' | 'issue_id'>;

/** Runs that are worth comparing with one: its forks, what it was forked from, the same issue again. */
export function relativesOf<Run extends Family>(run: Family, all: readonly Run[]): Run[] {
  const parent = run.forked_from?.workflow_id;
  const closeness = (other: Run): number => {
    if (other.id === run.id) return 0;
    if (other.id === parent || other.forked_from?.workflow_id === run.id) return 3;
    if (parent !== undefined && other.forked_from?.workflow_id === parent) return 2;
    return run.issue_id !== null && other.issue_id === run.issue_id ? 1 : 0;
  };
  return all
    .filter((other) => closeness(other) > 0)
    .toSorted((x, y) => closeness(y) - closeness(x));
}

/** Pairs to begin with: every fork with the run that it came from. */
export function forkPairs<Run extends Family>(all: readonly Run[]): { a: Run; b: Run }[] {
  const byId = new Map(all.map((run) => [run.id, run]));
  return all.flatMap((b) => {
    const a = byId.get(b.forked_from?.workflow_id ?? '');
    return a ? [{ a, b }] : [];
  });
}
