// Small things the browser remembers. Never throws: storage may be closed, full, or hold rubbish.

const prefix = 'amelia.';

/** The remembered value, if `accepts` recognises it; otherwise `fallback`. */
export function remembered<T>(
  key: string,
  accepts: (value: unknown) => value is T,
  fallback: T,
): T {
  try {
    const text = localStorage.getItem(prefix + key);
    if (text === null) return fallback;
    const value: unknown = JSON.parse(text);
    return accepts(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

export function remember(key: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + key, JSON.stringify(value));
  } catch {
    // The choice then lasts for this page only.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(prefix + key);
  } catch {
    // Nothing to forget.
  }
}

export const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isString = (value: unknown): value is string => typeof value === 'string';
export const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isString);
