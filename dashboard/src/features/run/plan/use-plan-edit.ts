import { useState } from 'react';
import { forget, remember, remembered } from '@/lib/storage';

/** A changed plan, and the one it was made from. */
type StoredEdit = { base: string; text: string };

const isKept = (value: unknown): value is StoredEdit | null =>
  value === null ||
  (typeof value === 'object' &&
    'base' in value &&
    typeof value.base === 'string' &&
    'text' in value &&
    typeof value.text === 'string');

/** The plan as a person has changed it: kept in this browser, dropped when it is the same again. */
export function usePlanEdit(id: string, original: string) {
  const key = `plan-edit.${id}`;
  const [kept, setKept] = useState<StoredEdit | null>(() => remembered(key, isKept, null));
  const edited = kept !== null && kept.text !== original ? kept.text : null;
  const keep = (next: StoredEdit | null) => {
    setKept(next);
    if (next === null) forget(key);
    else remember(key, next);
  };
  const isOutdated = edited !== null && original !== '' && kept?.base !== original;
  return {
    edited,
    text: kept?.text ?? original,
    /** The plan was made anew while it was edited: an approval would put the new one away unread. */
    isOutdated,
    /** What an approval sends instead of the plan. */
    wanted: isOutdated ? null : edited,
    write: (text: string) =>
      keep(text === original ? null : { base: kept?.base ?? original, text }),
    /** The person's own text counts, not the new plan. */
    keepMine: () => keep(kept && { ...kept, base: original }),
    reset: () => keep(null),
  };
}

export type PlanEdit = ReturnType<typeof usePlanEdit>;
