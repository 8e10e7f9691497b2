import type { Draft } from '@/model/start/draft';
import type { FieldName, Problem } from '@/model/start/draft-problems';

/** What every part of the page works on. */
export type Form = {
  draft: Draft;
  change: (patch: Partial<Draft>) => void;
  /** What is wrong with a field, after a first attempt to start. */
  errorOf: (field: FieldName) => string | undefined;
};

/** The id of the control of a field: a problem leads there. */
export const idOf = (field: FieldName) => `start-${field}`;

export function errorIn(problems: readonly Problem[], field: FieldName): string | undefined {
  const found = problems.filter((problem) => problem.field === field);
  return found.length === 0 ? undefined : found.map((problem) => problem.message).join(' ');
}
