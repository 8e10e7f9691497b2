// Changes inside a JSON document by path. Everything else stays the very same value, in its order:
// a screen that knows ten fields of twenty sends all twenty.

import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type Step = string | number;
export type Path = readonly Step[];
export type JsonObject = { [key in string]: JsonValue };

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value there; `undefined` when there is none. */
export function getAt(document: JsonValue | undefined, path: Path): JsonValue | undefined {
  let value = document;
  for (const step of path) {
    if (Array.isArray(value)) value = typeof step === 'number' ? value[step] : undefined;
    else if (isObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

/** The document with this value there. What is missing on the way is made: a list for a number, else an object. */
export function setAt(document: JsonValue | undefined, path: Path, value: JsonValue): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list = Array.isArray(document) ? [...document] : [];
    while (list.length < step) list.push(null);
    list[step] = setAt(list[step], rest, value);
    return list;
  }
  const object = isObject(document) ? document : {};
  const before = Object.hasOwn(object, step) ? object[step] : undefined;
  return withEntry(object, step, setAt(before, rest, value));
}

/** The document without that value; a list closes up. The same document when there is nothing. */
export function removeAt(document: JsonValue, path: Path): JsonValue {
  const step = path.at(-1);
  const above = path.slice(0, -1);
  const parent = getAt(document, above);
  if (step === undefined || getAt(document, path) === undefined) return document;
  if (Array.isArray(parent)) {
    return setAt(
      document,
      above,
      parent.filter((_, index) => index !== step),
    );
  }
  if (!isObject(parent)) return document;
  return setAt(
    document,
    above,
    Object.fromEntries(Object.entries(parent).filter(([key]) => key !== step)),
  );
}

/** An object with one entry set, also when its name means something to JavaScript. */
function withEntry(object: JsonObject, key: string, value: JsonValue): JsonObject {
  const isNew = !Object.hasOwn(object, key);
  const entries = Object.entries(object).map(([name, old]): [string, JsonValue] => [
    name,
    name === key ? value : old,
  ]);
  return Object.fromEntries(isNew ? [...entries, [key, value]] : entries);
}

export function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
}

/** `undefined`: was not, or is no longer there. */
export type Change = { path: Path; before: JsonValue | undefined; after: JsonValue | undefined };

/** What differs, as deep as possible. Lists of another length differ as a whole. */
export function changesOf(before: JsonValue | undefined, after: JsonValue | undefined): Change[] {
  const found: Change[] = [];
  collect(before, after, [], found);
  return found;
}

function collect(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: Path,
  found: Change[],
): void {
  if (isSame(before, after)) return;
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      collect(getAt(before, [key]), getAt(after, [key]), [...path, key], found);
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    before.forEach((item, index) => {
      collect(item, after[index], [...path, index], found);
    });
  } else {
    found.push({ path, before, after });
  }
}

/** Makes the same changes to another document: what others have changed in it stays. */
export function applyChanges(document: JsonValue, changes: readonly Change[]): JsonValue {
  return changes.reduce(
    (current, { path, after }) =>
      after === undefined ? removeAt(current, path) : setAt(current, path, after),
    document,
  );
}

/** `checks[2].name`, as the server writes paths. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`,
    '',
  );
}
