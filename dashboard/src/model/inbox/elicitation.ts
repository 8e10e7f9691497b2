// The question of an MCP server as a form: its fields, what is typed into them, what is wrong with that, and the answer.
// The same rules as `amelia-core/src/elicitation.rs`, which checks the answer again.

import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { isObject, type JsonObject, numberIn, stringIn, stringsIn } from './json';

export type Choice = { value: string; label: string };
export type TextFormat = 'email' | 'uri' | 'date' | 'date-time';

export type ControlKind =
  | { type: 'text'; format: TextFormat | null; isLong: boolean }
  | { type: 'number'; isWhole: boolean }
  | { type: 'switch' }
  /** One of several; `canBeNone`: also none of them. */
  | { type: 'choice'; choices: Choice[]; canBeNone: boolean }
  /** Any number of them. */
  | { type: 'choices'; choices: Choice[] };

export type AnswerField = {
  name: string;
  label: string;
  hint: string | null;
  isRequired: boolean;
  control: ControlKind;
  /** Of a number its least value, of a text its characters, of a list its items. */
  least: number | null;
  most: number | null;
  /** The same in words. */
  bounds: string | null;
  /** In the field while it is empty: what the server then gets. */
  placeholder: string | null;
  /** What the server gets when the field is left empty. */
  fallback: JsonValue | undefined;
};

/** What stands in a field: text, on or off, or the values that are chosen. */
export type FieldValue = string | boolean | string[];
export type AnswerDraft = Readonly<Record<string, FieldValue>>;

export type Elicitation = {
  server: string;
  message: string;
  /** `null`: the form cannot show them, so the answer is given in words. */
  fields: AnswerField[] | null;
};

/** The question that a request passes on, if it is one of a server. */
export function elicitationIn(context: JsonObject): Elicitation | null {
  const about = context.elicitation;
  const asked = isObject(about) && isObject(about.asked) ? about.asked : null;
  const server = stringIn(asked?.server);
  if (!asked || server === null) return null;
  return { server, message: stringIn(asked.message) ?? '', fields: fieldsOf(asked.schema) };
}

/** `null` when one of the properties is of a kind that the form cannot show. */
export function fieldsOf(schema: JsonValue | undefined): AnswerField[] | null {
  if (!isObject(schema) || (schema.type !== undefined && schema.type !== 'object')) return null;
  const properties = schema.properties ?? {};
  if (!isObject(properties)) return null;
  const required = stringsIn(schema.required);
  const fields: AnswerField[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const field = isObject(property) ? fieldOf(name, property, required.includes(name)) : null;
    if (!field) return null;
    fields.push(field);
  }
  // The log does not keep the order of the properties: those that are needed come first.
  return [...fields.filter((one) => one.isRequired), ...fields.filter((one) => !one.isRequired)];
}

function fieldOf(name: string, property: JsonObject, isRequired: boolean): AnswerField | null {
  const control = controlOf(property, isRequired);
  if (!control) return null;
  const keys = BOUNDS[control.type];
  const least = keys ? numberIn(property[keys.least]) : null;
  const most = keys ? numberIn(property[keys.most]) : null;
  return {
    name,
    label: stringIn(property.title) ?? name,
    hint: stringIn(property.description),
    isRequired,
    control,
    least,
    most,
    bounds: boundsIn(least, most, UNITS[control.type] ?? ''),
    placeholder: placeholderOf(control, property.default),
    fallback: property.default,
  };
}

const UNITS: { [type in ControlKind['type']]?: string } = { text: ' characters' };

function boundsIn(least: number | null, most: number | null, unit: string): string | null {
  if (least !== null && most !== null) return `${least} to ${most}${unit}`;
  if (least !== null) return `at least ${least}${unit}`;
  return most === null ? null : `at most ${most}${unit}`;
}

function placeholderOf(control: ControlKind, fallback: JsonValue | undefined): string | null {
  if (control.type !== 'text' && control.type !== 'number') return null;
  return fallback === undefined || fallback === '' ? null : `Default: ${String(fallback)}`;
}

const BOUNDS: { [type in ControlKind['type']]?: { least: string; most: string } } = {
  text: { least: 'minLength', most: 'maxLength' },
  number: { least: 'minimum', most: 'maximum' },
  choices: { least: 'minItems', most: 'maxItems' },
};

/** A text of more characters gets more lines. */
const LONG_TEXT = 200;
const FORMATS: readonly TextFormat[] = ['email', 'uri', 'date', 'date-time'];

function controlOf(property: JsonObject, isRequired: boolean): ControlKind | null {
  switch (property.type ?? 'string') {
    case 'string': {
      const choices = choicesIn(property);
      if (choices === null) return null;
      if (choices.length > 0) {
        const canBeNone = !isRequired && property.default === undefined;
        return { type: 'choice', choices, canBeNone };
      }
      const format = FORMATS.find((one) => one === property.format) ?? null;
      const most = numberIn(property.maxLength);
      const isLong = (most ?? 0) > LONG_TEXT || (stringIn(property.default) ?? '').includes('\n');
      return { type: 'text', format, isLong: format === null && isLong };
    }
    case 'number':
    case 'integer':
      return hasChoices(property) ? null : { type: 'number', isWhole: property.type === 'integer' };
    case 'boolean':
      return { type: 'switch' };
    case 'array': {
      const { items } = property;
      if (!isObject(items) || (items.type !== undefined && items.type !== 'string')) return null;
      const choices = choicesIn(items);
      return choices && choices.length > 0 ? { type: 'choices', choices } : null;
    }
    default:
      return null;
  }
}

const hasChoices = (property: JsonObject) =>
  ['enum', 'oneOf', 'anyOf'].some((key) => property[key] !== undefined);

/** The values to choose from; none if any will do, `null` if one of them is no text. */
function choicesIn(property: JsonObject): Choice[] | null {
  const list = property.enum ?? property.oneOf ?? property.anyOf;
  if (list === undefined) return [];
  if (!Array.isArray(list)) return null;
  const names = Array.isArray(property.enumNames) ? property.enumNames : [];
  const choices: Choice[] = [];
  for (const [index, one] of list.entries()) {
    const value = isObject(one) ? one.const : one;
    if (typeof value !== 'string') return null;
    const title = isObject(one) ? one.title : names[index];
    choices.push({ value, label: stringIn(title) ?? (value === '' ? '(empty)' : value) });
  }
  return choices;
}

/** What stands in the fields at first: the defaults. */
export function draftOf(fields: readonly AnswerField[]): AnswerDraft {
  return Object.fromEntries(fields.map((field) => [field.name, firstValue(field)]));
}

function firstValue({ control, fallback }: AnswerField): FieldValue {
  switch (control.type) {
    case 'switch':
      return fallback === true;
    case 'choices':
      return stringsIn(fallback).filter((one) =>
        control.choices.some(({ value }) => value === one),
      );
    case 'choice': {
      const place = control.choices.findIndex(({ value }) => value === fallback);
      return place < 0 ? '' : String(place);
    }
    case 'number':
      return typeof fallback === 'number' ? String(fallback) : '';
    case 'text': {
      const text = typeof fallback === 'string' ? fallback : '';
      return control.format === 'date-time' ? localTime(text) : text;
    }
  }
}

/** A moment as a field for it wants it: in local time, without a zone. */
function localTime(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return '';
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** What is wrong, by the name of the field. */
export function faultsOf(
  fields: readonly AnswerField[],
  draft: AnswerDraft,
): Record<string, string> {
  const faults = fields.flatMap((field): [string, string][] => {
    const fault = faultOf(field, draft[field.name] ?? '');
    return fault === null ? [] : [[field.name, fault]];
  });
  return Object.fromEntries(faults);
}

function faultOf(field: AnswerField, value: FieldValue): string | null {
  const { control, isRequired, fallback } = field;
  if (typeof value === 'boolean') return null;
  if (Array.isArray(value)) {
    if (value.length === 0 && isRequired) return 'Choose at least one.';
    // One without a default that is left alone is not sent.
    return value.length === 0 && fallback === undefined ? null : listFault(field, value.length);
  }
  if (value.trim() === '') {
    if (!isRequired || fallback !== undefined) return null;
    return control.type === 'choice' ? 'Choose one.' : 'Required.';
  }
  if (control.type === 'number') return numberFault(field, control.isWhole, value.trim());
  return control.type === 'text' ? textFault(field, control.format, value) : null;
}

function listFault({ least, most }: AnswerField, count: number): string | null {
  if (least !== null && count < least) return `Choose at least ${least}.`;
  return most !== null && count > most ? `Choose at most ${most}.` : null;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function numberFault({ least, most }: AnswerField, isWhole: boolean, text: string): string | null {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value))
    return isWhole ? 'Enter a whole number, such as 42.' : 'Enter a number, such as 3.14.';
  if (isWhole && !Number.isInteger(value)) return 'Enter a whole number, such as 42.';
  if (least !== null && value < least) return `Enter ${least} or more.`;
  return most !== null && value > most ? `Enter ${most} or less.` : null;
}

const FORMAT_FAULTS: Record<TextFormat, { fits: (text: string) => boolean; fault: string }> = {
  email: {
    fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
    fault: 'Enter an email address, such as ada@example.org.',
  },
  uri: { fits: URL.canParse, fault: 'Enter a complete URL, such as https://example.org.' },
  date: {
    fits: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
    fault: 'Enter a date, such as 2026-11-18.',
  },
  'date-time': {
    fits: (text) => !Number.isNaN(Date.parse(text)),
    fault: 'Enter a date and a time.',
  },
};

function textFault(
  { least, most }: AnswerField,
  format: TextFormat | null,
  typed: string,
): string | null {
  if (format && !FORMAT_FAULTS[format].fits(typed.trim())) return FORMAT_FAULTS[format].fault;
  const count = Array.from(sentText(format, typed)).length;
  if (least !== null && count < least) return `Enter at least ${characters(least)}.`;
  return most !== null && count > most
    ? `Enter at most ${characters(most)}; this has ${count}.`
    : null;
}

const characters = (count: number) => (count === 1 ? '1 character' : `${count} characters`);

/** What the server gets: every field that is filled in. For one that is left out, it gets the default. */
export function answerOf(fields: readonly AnswerField[], draft: AnswerDraft): JsonObject {
  const given = fields.flatMap((field): [string, JsonValue][] => {
    const value = sentValue(field, draft[field.name] ?? '');
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(given);
}

function sentValue({ control, fallback }: AnswerField, value: FieldValue): JsonValue | undefined {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    return value.length === 0 && fallback === undefined ? undefined : value;
  }
  if (value.trim() === '') return undefined;
  if (control.type === 'number') return Number(value);
  if (control.type === 'choice') return control.choices[Number(value)]?.value;
  return sentText(control.type === 'text' ? control.format : null, value);
}

function sentText(format: TextFormat | null, typed: string): string {
  if (format === null) return typed;
  const text = typed.trim();
  const isMoment = format === 'date-time' && !Number.isNaN(Date.parse(text));
  return isMoment ? new Date(text).toISOString() : text;
}
