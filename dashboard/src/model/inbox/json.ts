// Values of unknown shape, looked into carefully.

import type { JsonValue } from '@/wire/serde_json/JsonValue';

export type JsonObject = { [key in string]: JsonValue };

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const stringIn = (value: JsonValue | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
export const stringsIn = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
export const numberIn = (value: JsonValue | undefined): number | null =>
  typeof value === 'number' ? value : null;
