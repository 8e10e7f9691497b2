import { describe, expect, it } from 'vitest';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import {
  applyChanges,
  changesOf,
  getAt,
  isSame,
  type Path,
  pathText,
  removeAt,
  setAt,
} from './document-edit';
import { newProfile } from './profile-document';

/** A small generator that gives the same documents at every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function someDocument(next: () => number, depth = 3): JsonValue {
  const kind = Math.floor(next() * (depth > 0 ? 7 : 4));
  if (kind === 0) return null;
  if (kind === 1) return next() < 0.5;
  if (kind === 2) return Math.round(next() * 1000) / 10;
  if (kind === 3) return `text ${Math.floor(next() * 100)}`;
  const items = Array.from({ length: Math.floor(next() * 4) }, () => someDocument(next, depth - 1));
  return kind === 4 ? items : Object.fromEntries(items.map((item, index) => [`k${index}`, item]));
}

/** Every path to a value in the document. */
function pathsOf(value: JsonValue, above: Path = []): Path[] {
  if (Array.isArray(value))
    return [above, ...value.flatMap((item, index) => pathsOf(item, [...above, index]))];
  if (typeof value === 'object' && value !== null)
    return [
      above,
      ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...above, key])),
    ];
  return [above];
}

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
const isInside = (path: Path, outer: Path) => outer.every((step, index) => path[index] === step);

describe('editing a document', () => {
  it.each(seeds)('changes one value and nothing beside it (%d)', (seed) => {
    const next = random(seed);
    const document = { root: someDocument(next), other: someDocument(next) };
    const untouched = structuredClone(document);
    const paths = pathsOf(document).slice(1);
    const target = paths[Math.floor(next() * paths.length)] ?? [];
    const after = setAt(document, target, 'changed');
    expect(getAt(after, target)).toBe('changed');
    for (const path of paths) {
      if (isInside(path, target) || isInside(target, path)) continue;
      // Not only equal: the very same value, so that nothing was read and written anew.
      expect(getAt(after, path)).toBe(getAt(document, path));
    }
    expect(document).toEqual(untouched);
    expect(isSame(setAt(after, target, getAt(document, target) ?? null), document)).toBe(true);
  });

  it.each(seeds)('finds the changes between any two, and makes them again (%d)', (seed) => {
    const next = random(seed);
    const [a, b] = [{ d: someDocument(next) }, { d: someDocument(next) }];
    expect(isSame(applyChanges(a, changesOf(a, b)), b)).toBe(true);
    expect(changesOf(a, a)).toEqual([]);
  });

  it('keeps the order of keys', () => {
    expect(JSON.stringify(setAt({ z: 1, a: { y: 2, b: 3 } }, ['a', 'y'], 9))).toBe(
      '{"z":1,"a":{"y":9,"b":3}}',
    );
  });

  it.each<[JsonValue, Path, JsonValue]>([
    [{ a: 1, b: 2 }, ['a'], { b: 2 }],
    [{ a: [1, 2, 3] }, ['a', 1], { a: [1, 3] }],
    [{ a: 1 }, ['x', 'y'], { a: 1 }],
    [{ a: 'text' }, ['a', 'length'], { a: 'text' }],
  ])('takes out of %j at %j', (document, path, expected) => {
    expect(removeAt(document, path)).toEqual(expected);
  });

  it('makes what is missing on the way', () => {
    expect(setAt({}, ['a', 'b', 1, 'c'], true)).toEqual({ a: { b: [null, { c: true }] } });
  });

  it('treats names that JavaScript knows as names', () => {
    const after = setAt({ a: 1 }, ['__proto__', 'x'], 2);
    expect(JSON.stringify(after)).toBe('{"a":1,"__proto__":{"x":2}}');
    expect(getAt({ a: 1 }, ['__proto__', 'constructor'])).toBeUndefined();
    expect(getAt({}, ['toString'])).toBeUndefined();
  });

  it('writes paths as the server does', () => {
    expect(pathText(['agents', 'developer', 'options', 'allow', 2])).toBe(
      'agents.developer.options.allow[2]',
    );
  });

  it('keeps every other field of a full profile, also unknown ones', () => {
    const profile: JsonValue = {
      ...newProfile('work', '/src/app'),
      a_field_of_tomorrow: { nested: [1, { deep: null }] },
    };
    const after = setAt(profile, ['agents', 'developer', 'model'], 'another');
    expect(changesOf(profile, after).map((change) => pathText(change.path))).toEqual([
      'agents.developer.model',
    ]);
    expect(JSON.stringify(after)).toBe(
      JSON.stringify(profile).replace(
        '"developer":{"driver":"api","model":"deepseek-flash"',
        '"developer":{"driver":"api","model":"another"',
      ),
    );
  });

  it('brings one’s own changes to what others have saved meanwhile', () => {
    const base = { model: 'a', rounds: 5, tools: ['x'] };
    const mine = { model: 'b', rounds: 5, tools: ['x'] };
    const theirs = { model: 'a', rounds: 3, tools: ['x', 'y'] };
    expect(applyChanges(theirs, changesOf(base, mine))).toEqual({
      model: 'b',
      rounds: 3,
      tools: ['x', 'y'],
    });
  });
});
