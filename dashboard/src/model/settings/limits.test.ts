import { expect, it } from 'vitest';
import type { ServerValue } from '@/wire/ServerValue';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { type EffectiveLimit, effectiveLimit, limitsOf } from './limits';
import { isFixed, matches, serverField, wantedOf } from './server-fields';

it.each<[number | null, number | null, EffectiveLimit]>([
  [null, null, { value: null, from: null, overruled: null }],
  [5, null, { value: 5, from: 'server', overruled: null }],
  [null, 2, { value: 2, from: 'profile', overruled: null }],
  [5, 2, { value: 2, from: 'profile', overruled: null }],
  [2, 5, { value: 2, from: 'server', overruled: 5 }],
  [2, 2, { value: 2, from: 'profile', overruled: null }],
])('server %s, profile %s', (server, profile, expected) => {
  expect(effectiveLimit(server, profile)).toEqual(expected);
});

it('limits time for runs only', () => {
  expect(limitsOf('per_run')).toHaveLength(4);
  expect(limitsOf('per_agent').map((limit) => limit.amount)).toEqual(['usd', 'tokens', 'calls']);
});

const value = (key: string, now: JsonValue, more: Partial<ServerValue> = {}): ServerValue => ({
  key,
  value: now,
  source: 'default',
  source_name: 'built in',
  next: null,
  ...more,
});

it.each<[ServerValue, string, string]>([
  [value('port', 8420), 'number', 'Network'],
  [value('durability', 'full'), 'choice', 'Storage'],
  [value('budgets.per_run.usd', null), 'number', 'Budgets'],
  [value('budgets.per_run', { usd: null }), 'json', 'Budgets'],
  [value('api_key_envs', ['A']), 'words', 'Runs'],
  [value('of_tomorrow', true), 'switch', 'Other'],
  [value('of_tomorrow', 'x'), 'text', 'Other'],
])('edits %o', (one, kind, group) => {
  const field = serverField(one);
  expect([field.kind.type, field.group]).toEqual([kind, group]);
});

it('knows what is fixed, what waits, and what was meant', () => {
  expect(isFixed(value('port', 1, { source: 'flag' }))).toBe(true);
  expect(isFixed(value('port', 1, { source: 'file' }))).toBe(false);
  expect(wantedOf(value('port', 1, { next: 2 }))).toBe(2);
  expect(matches(serverField(value('max_concurrent', 5)), 'runs concurrent')).toBe(true);
  expect(matches(serverField(value('max_concurrent', 5)), 'redis')).toBe(false);
});
