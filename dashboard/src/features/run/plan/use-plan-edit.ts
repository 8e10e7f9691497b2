import { useState } from 'react';
import { forget, isString, remember, remembered } from '@/lib/storage';

/** The plan as a person has changed it: kept in this browser, dropped when it is the same again. */
export function usePlanEdit(id: string, original: string) {
  const key = `plan-edit.${id}`;
  const [kept, setKept] = useState<string | null>(() => remembered(key, isString, '') || null);
  const edited = kept !== null && kept !== original ? kept : null;
  const write = (text: string) => {
    setKept(text);
    if (text === original) forget(key);
    else remember(key, text);
  };
  const reset = () => {
    setKept(null);
    forget(key);
  };
  return { edited, text: kept ?? original, write, reset };
}
