import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type Edits = { set: Record<string, JsonValue>; problem: string | null };

/** Lines of `path=value`; a value is JSON, or else the words as they stand. */
export function readEdits(text: string): Edits {
  const set: Record<string, JsonValue> = {};
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const path = line.slice(0, Math.max(at, 0)).trim();
    if (path === '') return { set, problem: `Line ${index + 1} is not path=value` };
    set[path] = jsonOrWords(line.slice(at + 1).trim());
  }
  return { set, problem: null };
}

function jsonOrWords(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
