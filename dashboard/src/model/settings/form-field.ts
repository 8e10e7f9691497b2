// A field of a form over a JSON document: where its value is, how it is edited, and what is wrong with it.

import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { getAt, type JsonObject, type Path, pathText } from './document-edit';
import type { Problem } from './problems';

export type Choice = { value: string; label: string; hint?: string };

/** How a value is edited. `optional`: nothing typed is `null`. */
export type Kind =
  | { type: 'text'; mono?: boolean; optional?: boolean; placeholder?: string }
  | {
      type: 'number';
      min?: number;
      max?: number;
      above?: number;
      whole?: boolean;
      optional?: boolean;
      unit?: string;
      placeholder?: string;
    }
  | { type: 'switch' }
  | { type: 'choice'; choices: readonly Choice[] }
  /** Texts in order, each on a line of its own. */
  | { type: 'list'; item: string; placeholder?: string }
  /** Short words, as chips. */
  | { type: 'words'; item: string; placeholder?: string }
  /** The name of an environment variable, never its value. */
  | { type: 'variable' }
  | { type: 'json' };

export type FormField = {
  path: Path;
  label: string;
  help: string;
  kind: Kind;
  /** Half as wide: two stand side by side. */
  isShort?: boolean;
  isShown?: (document: JsonObject) => boolean;
};

export type FieldGroup = {
  id: string;
  title: string;
  help: string;
  fields: FormField[];
  /** Side by side where there is room; 2 if left out. */
  columns?: 3 | 4;
};

const isVariableName = (text: string) => /^[A-Za-z_]\w*$/.test(text);

/** What is wrong with a value, before anybody asks the server; `undefined` when nothing is. */
export function faultOf(kind: Kind, value: JsonValue | undefined): string | undefined {
  switch (kind.type) {
    case 'number':
      return numberFault(kind, value);
    case 'text':
      if (value === undefined || (kind.optional && value === null)) return undefined;
      if (typeof value !== 'string') return 'must be text';
      return !kind.optional && value.trim() === '' ? 'must not be empty' : undefined;
    case 'variable':
      if (value === undefined) return undefined;
      if (typeof value !== 'string' || !isVariableName(value))
        return 'the name of a variable, such as OPENAI_API_KEY; never the key itself';
      return undefined;
    case 'switch':
      return value === undefined || typeof value === 'boolean' ? undefined : 'must be on or off';
    case 'choice':
      if (value === undefined || kind.choices.some((choice) => choice.value === value))
        return undefined;
      return `must be one of ${kind.choices.map((choice) => choice.value).join(', ')}`;
    case 'list':
    case 'words':
      if (value === undefined) return undefined;
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? undefined
        : 'must be a list of strings';
    case 'json':
      return undefined;
  }
}

function numberFault(
  kind: Extract<Kind, { type: 'number' }>,
  value: JsonValue | undefined,
): string | undefined {
  if (value === undefined || (kind.optional && value === null)) return undefined;
  if (typeof value !== 'number') return 'must be a number';
  if (kind.whole && !Number.isInteger(value)) return 'must be a whole number';
  if (kind.above !== undefined && value <= kind.above) return `must be above ${kind.above}`;
  if (kind.min !== undefined && value < kind.min) return `must be ${kind.min} or more`;
  if (kind.max !== undefined && value > kind.max) return `must be ${kind.max} or less`;
  return undefined;
}

/** What was typed into a number's field: a number, nothing, or the text itself, which is then told to be wrong. */
export function typedNumber(text: string, optional: boolean): JsonValue {
  const plain = text.trim().replaceAll(/[_\s,](?=\d{3}(\D|$))/g, '');
  if (plain === '') return optional ? null : '';
  const value = Number(plain);
  return Number.isFinite(value) ? value : text;
}

/** The faults of all fields of a form that are shown. */
export function faultsOf(fields: readonly FormField[], document: JsonObject): Problem[] {
  return fields
    .filter((field) => field.isShown?.(document) ?? true)
    .flatMap((field) => {
      const fault = faultOf(field.kind, getAt(document, field.path));
      return fault ? [{ path: pathText(field.path), message: fault }] : [];
    });
}
