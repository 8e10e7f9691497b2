// Calls of tools that a person tries: arguments as JSON.

import type { JsonValue } from '@/wire/serde_json/JsonValue';

type JsonObject = { [key: string]: JsonValue };

/** The arguments, or why they are none. */
export function argumentsOf(typed: string): { value: JsonObject } | { error: string } {
  const text = typed.trim() === '' ? '{}' : typed;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? { value } : { error: 'The arguments must be a JSON object.' };
  } catch (error) {
    return { error: error instanceof Error ? error.message : 'This is not JSON.' };
  }
}

/** A first text for the arguments: every required one, with an empty value of its type. */
export function emptyArguments(schema: JsonValue): string {
  if (!isObject(schema)) return '{}';
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = required.filter((name) => typeof name === 'string');
  const fields = names.map((name) => [name, emptyValue(properties[name])] as const);
  return JSON.stringify(Object.fromEntries(fields), null, 2);
}

const EMPTY: Record<string, JsonValue> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
};

function emptyValue(schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return null;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum) && schema.enum[0] !== undefined) return schema.enum[0];
  return typeof schema.type === 'string' ? (EMPTY[schema.type] ?? null) : null;
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
