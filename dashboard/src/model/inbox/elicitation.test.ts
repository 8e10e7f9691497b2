import { describe, expect, it } from 'vitest';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import {
  type AnswerDraft,
  type AnswerField,
  answerOf,
  draftOf,
  elicitationIn,
  faultsOf,
  fieldsOf,
} from './elicitation';
import type { JsonObject } from './json';

const schemaOf = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});

function formOf(properties: JsonObject, required: string[] = []): AnswerField[] {
  const fields = fieldsOf(schemaOf(properties, required));
  if (!fields) throw new Error('the form cannot show it');
  return fields;
}

const fish: JsonObject = { items: { anyOf: [{ const: 'f1', title: 'Tuna' }, { const: 'f2' }] } };

describe('the fields of a schema', () => {
  it.each<[string, JsonObject, AnswerField['control']]>([
    ['text', { type: 'string' }, { type: 'text', format: null, isLong: false }],
    ['no type at all', {}, { type: 'text', format: null, isLong: false }],
    ['long text', { maxLength: 2000 }, { type: 'text', format: null, isLong: true }],
    ['an email', { format: 'email' }, { type: 'text', format: 'email', isLong: false }],
    ['an unknown format', { format: 'ipv4' }, { type: 'text', format: null, isLong: false }],
    ['a number', { type: 'number' }, { type: 'number', isWhole: false }],
    ['an integer', { type: 'integer' }, { type: 'number', isWhole: true }],
    ['a boolean', { type: 'boolean' }, { type: 'switch' }],
    [
      'an enum with names',
      { type: 'string', enum: ['a', ''], enumNames: ['Ada'] },
      {
        type: 'choice',
        canBeNone: true,
        choices: [
          { value: 'a', label: 'Ada' },
          { value: '', label: '(empty)' },
        ],
      },
    ],
    [
      'titled choices',
      { type: 'string', oneOf: [{ const: 'h1', title: 'Hero' }], default: 'h1' },
      { type: 'choice', canBeNone: false, choices: [{ value: 'h1', label: 'Hero' }] },
    ],
    [
      'several choices',
      { type: 'array', ...fish },
      {
        type: 'choices',
        choices: [
          { value: 'f1', label: 'Tuna' },
          { value: 'f2', label: 'f2' },
        ],
      },
    ],
  ])('shows %s', (_, property, control) => {
    expect(formOf({ one: property })[0]?.control).toEqual(control);
  });

  it.each<[string, JsonValue]>([
    ['a nested object', schemaOf({ one: { type: 'object', properties: {} } })],
    ['a list of anything', schemaOf({ one: { type: 'array', items: { type: 'string' } } })],
    ['a list of numbers', schemaOf({ one: { type: 'array', items: { type: 'number' } } })],
    ['two types', schemaOf({ one: { type: ['string', 'null'] } })],
    ['a number of a list', schemaOf({ one: { type: 'number', enum: [1, 2] } })],
    ['choices that are no text', schemaOf({ one: { type: 'string', enum: [1, 2] } })],
    ['a property that is none', schemaOf({ one: true })],
    ['a schema that is none', 'yes'],
    ['a schema of a text', { type: 'string' }],
  ])('leaves %s to words', (_, schema) => {
    expect(fieldsOf(schema)).toBeNull();
  });

  it('says what they are for, and how much fits', () => {
    const [age, name, mail] = formOf(
      {
        age: { type: 'integer', title: 'Age', description: 'In years', minimum: 1, maximum: 99 },
        name: { type: 'string', minLength: 2 },
        mail: { type: 'string', maxLength: 9, default: 'a@b.c' },
      },
      ['age'],
    );
    expect(age).toMatchObject({ label: 'Age', hint: 'In years', isRequired: true });
    expect([age?.bounds, name?.bounds, mail?.bounds]).toEqual([
      '1 to 99',
      'at least 2 characters',
      'at most 9 characters',
    ]);
    expect([name?.label, name?.hint, name?.isRequired]).toEqual(['name', null, false]);
    expect([name?.placeholder, mail?.placeholder]).toEqual([null, 'Default: a@b.c']);
  });

  it('are found in the context of a question, with the server that asks', () => {
    const schema = schemaOf({ name: { type: 'string' } });
    const asked = { server: 'everything', message: 'Who?', schema };
    const found = elicitationIn({ call: 'c1', elicitation: { asked, answered: [] } });
    expect(found).toMatchObject({ server: 'everything', message: 'Who?' });
    expect(found?.fields).toHaveLength(1);
    expect(elicitationIn({ options: ['a'] })).toBeNull();
  });
});

const every = formOf(
  {
    name: { type: 'string', minLength: 2, maxLength: 5 },
    mail: { type: 'string', format: 'email' },
    page: { type: 'string', format: 'uri' },
    born: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    age: { type: 'integer', minimum: 1, maximum: 99, default: 42 },
    size: { type: 'number' },
    agrees: { type: 'boolean', default: true },
    friend: { type: 'string', enum: ['Monica', 'Ross'] },
    fish: { type: 'array', minItems: 1, maxItems: 1, ...fish },
  },
  ['name'],
);

const filled = (more: AnswerDraft) => ({ ...draftOf(every), name: 'Ada', ...more });

describe('what is typed', () => {
  it('begins with the defaults', () => {
    const fields = formOf({
      text: { default: 'x' },
      number: { type: 'number', default: 3.5 },
      one: { enum: ['a', 'b'], default: 'b' },
      many: { type: 'array', items: { enum: ['a', 'b'] }, default: ['b', 'gone'] },
      on: { type: 'boolean', default: true },
      off: { type: 'boolean' },
      none: { type: 'string' },
    });
    expect(draftOf(fields)).toEqual({
      text: 'x',
      number: '3.5',
      one: '1',
      many: ['b'],
      on: true,
      off: false,
      none: '',
    });
  });

  it.each<[AnswerDraft, Record<string, string>]>([
    [{}, {}],
    [{ name: ' ' }, { name: 'Required.' }],
    [{ name: 'A' }, { name: 'Enter at least 2 characters.' }],
    [{ name: 'Adelaide' }, { name: 'Enter at most 5 characters; this has 8.' }],
    [{ name: '😀😀😀😀😀' }, {}],
    [{ mail: 'ada' }, { mail: 'Enter an email address, such as ada@example.org.' }],
    [{ mail: ' ada@example.org ' }, {}],
    [{ page: 'example.org' }, { page: 'Enter a complete URL, such as https://example.org.' }],
    [{ page: 'https://example.org/a' }, {}],
    [{ born: '2026-13-01' }, { born: 'Enter a date, such as 2026-11-18.' }],
    [{ at: 'soon' }, { at: 'Enter a date and a time.' }],
    [{ age: '' }, {}],
    [{ age: '4.5' }, { age: 'Enter a whole number, such as 42.' }],
    [{ age: '0' }, { age: 'Enter 1 or more.' }],
    [{ age: '100' }, { age: 'Enter 99 or less.' }],
    [{ size: '1,5' }, { size: 'Enter a number, such as 3.14.' }],
    [{ size: '0x10' }, { size: 'Enter a number, such as 3.14.' }],
    [{ size: '-1.5e3' }, {}],
    [{ fish: ['f1', 'f2'] }, { fish: 'Choose at most 1.' }],
    [{ fish: [] }, {}],
  ])('%o is checked: %o', (draft, faults) => {
    expect(faultsOf(every, filled(draft))).toEqual(faults);
  });

  it('must be there where it is required', () => {
    const fields = formOf(
      {
        one: { enum: ['a'] },
        many: { type: 'array', items: { enum: ['a'] } },
        usual: { type: 'string', default: 'x' },
        yes: { type: 'boolean' },
      },
      ['one', 'many', 'usual', 'yes'],
    );
    expect(faultsOf(fields, { ...draftOf(fields), usual: '' })).toEqual({
      one: 'Choose one.',
      many: 'Choose at least one.',
    });
  });

  it('does not fall back to a default that was taken out of a list', () => {
    const fields = formOf({
      many: { type: 'array', minItems: 1, items: { enum: ['a'] }, default: ['a'] },
    });
    expect(faultsOf(fields, { many: [] })).toEqual({ many: 'Choose at least 1.' });
  });
});

describe('the answer', () => {
  it('has every field that is filled in, as the server wants it', () => {
    const draft = filled({
      name: ' Ada',
      mail: ' ada@example.org ',
      born: '1815-12-10',
      age: '36',
      size: '1.5',
      agrees: false,
      friend: '1',
      fish: ['f2'],
    });
    expect(answerOf(every, draft)).toEqual({
      name: ' Ada',
      mail: 'ada@example.org',
      born: '1815-12-10',
      age: 36,
      size: 1.5,
      agrees: false,
      friend: 'Ross',
      fish: ['f2'],
    });
  });

  it('leaves out what is empty', () => {
    expect(answerOf(every, filled({ age: '' }))).toEqual({ name: 'Ada', agrees: true });
    expect(answerOf([], {})).toEqual({});
  });

  it('says a moment with its zone, and shows a default in local time', () => {
    const moment = '2026-11-18T10:30:00.000Z';
    const fields = formOf({ at: { type: 'string', format: 'date-time', default: moment } });
    const draft = draftOf(fields);
    expect(draft.at).toMatch(/^2026-11-1[789]T\d\d:\d\d:00$/);
    expect(answerOf(fields, draft)).toEqual({ at: moment });
  });
});
