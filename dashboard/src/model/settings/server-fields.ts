// The server's configuration: what each value means, and how it is edited.

import type { ServerValue } from '@/wire/ServerValue';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import type { Kind } from './form-field';

type Known = { group: string; help: string; kind?: Kind };

const address: Kind = { type: 'text', mono: true, optional: true };
const file: Kind = { type: 'text', mono: true, optional: true, placeholder: 'none' };
const whole = (min: number): Kind => ({ type: 'number', min, whole: true });
const seconds: Kind = { type: 'number', above: 0, unit: 's' };

const known: Readonly<Record<string, Known>> = {
  host: {
    group: 'Listening',
    help: 'The address where the server listens. Beyond this machine, put it behind TLS.',
    kind: { type: 'text', mono: true },
  },
  port: {
    group: 'Listening',
    help: 'Its port.',
    kind: { type: 'number', min: 1, max: 65_535, whole: true },
  },
  websocket_idle_timeout_seconds: {
    group: 'Listening',
    help: 'A silent WebSocket is closed after so many seconds.',
    kind: seconds,
  },
  rate_limits: {
    group: 'Listening',
    help: 'By group of requests: {"default": {"requests": 100, "per_seconds": 10}}.',
    kind: { type: 'json' },
  },
  max_concurrent: { group: 'Runs', help: 'Runs at work at the same time.', kind: whole(1) },
  workflow_start_timeout_seconds: {
    group: 'Runs',
    help: 'So long a start may take.',
    kind: seconds,
  },
  api_key_envs: {
    group: 'Runs',
    help: 'Variables that profiles may name as keys. Names only; values are never shown.',
    kind: { type: 'words', item: 'variable', placeholder: 'MY_API_KEY' },
  },
  database_path: {
    group: 'Storage',
    help: 'The database, in the home of Amelia unless it begins with /.',
    kind: { type: 'text', mono: true },
  },
  durability: {
    group: 'Storage',
    help: 'What a write survives once it is confirmed.',
    kind: {
      type: 'choice',
      choices: [
        { value: 'full', label: 'full', hint: 'Loss of power' },
        { value: 'relaxed', label: 'relaxed', hint: 'The end of the program; faster' },
      ],
    },
  },
  log_retention_days: {
    group: 'Storage',
    help: 'Debug events of ended runs are kept so many days.',
    kind: whole(1),
  },
  log_retention_max_events: {
    group: 'Storage',
    help: 'And so many for each run.',
    kind: whole(1_000),
  },
  'auth.mode': {
    group: 'Sign-in',
    help: 'Who is let in. none is possible on this machine only.',
    kind: {
      type: 'choice',
      choices: [
        { value: 'token', label: 'token', hint: 'Whoever has the token of the home' },
        { value: 'jwt', label: 'jwt', hint: 'Whoever has a signed token with a role' },
        { value: 'none', label: 'none', hint: 'Everybody on this machine' },
      ],
    },
  },
  'auth.secret_env': {
    group: 'Sign-in',
    help: 'jwt: the variable with the shared secret. Its name, not the secret.',
    kind: { type: 'text', mono: true, optional: true, placeholder: 'none' },
  },
  'auth.key_file': { group: 'Sign-in', help: 'jwt: a file with a public key.', kind: file },
  'auth.jwks_file': { group: 'Sign-in', help: 'jwt: a file with several keys.', kind: file },
  'auth.jwks_url': { group: 'Sign-in', help: 'jwt: where keys are fetched.', kind: file },
  'auth.issuer': { group: 'Sign-in', help: 'jwt: who must have signed.', kind: file },
  'auth.audience': { group: 'Sign-in', help: 'jwt: for whom it must be.', kind: file },
  'budgets.per_run': { group: 'Budgets', help: 'The most that a run may spend.' },
  'budgets.per_agent': { group: 'Budgets', help: 'The most that an agent may spend in a run.' },
  'budgets.per_day': { group: 'Budgets', help: 'The most that all runs may spend in a day.' },
  otlp_endpoint: {
    group: 'Elsewhere',
    help: 'Traces and figures are sent there. The address is shown without its password.',
    kind: address,
  },
  redis_url: {
    group: 'Elsewhere',
    help: 'Events are told there as well. The address is shown without its password.',
    kind: address,
  },
};

export const serverGroups = [
  'Listening',
  'Runs',
  'Budgets',
  'Storage',
  'Sign-in',
  'Elsewhere',
  'Other',
] as const;

export type ServerField = { value: ServerValue; group: string; help: string; kind: Kind };

const limitOf = /^budgets\.(per_run|per_agent|per_day)\.(usd|tokens|calls|wall_seconds)$/;

/** How a value is edited: by its name if it is known, else by what it is. */
export function serverField(value: ServerValue): ServerField {
  const limit = limitOf.exec(value.key);
  if (limit) {
    const [, scope = '', what = ''] = limit;
    const unit = { usd: { unit: '$' }, wall_seconds: { unit: 's', whole: true } }[what];
    const kind: Kind = { type: 'number', above: 0, optional: true, placeholder: 'no limit' };
    const help = known[`budgets.${scope}`]?.help ?? '';
    return { value, group: 'Budgets', help, kind: { ...kind, ...(unit ?? { whole: true }) } };
  }
  const own = known[value.key];
  return {
    value,
    group: own?.group ?? 'Other',
    help: own?.help ?? '',
    kind: own?.kind ?? kindOf(value.value),
  };
}

function kindOf(value: JsonValue): Kind {
  if (typeof value === 'boolean') return { type: 'switch' };
  if (typeof value === 'number') return { type: 'number' };
  if (typeof value === 'string') return { type: 'text', mono: true };
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return { type: 'words', item: 'value' };
  return { type: 'json' };
}

/** A flag or a variable wins over the file: whatever is written there would not count. */
export const isFixed = (value: ServerValue): boolean =>
  value.source === 'environment' || value.source === 'flag';

/** An address with its password hidden cannot be sent back as it is. */
export const isHidden = (value: JsonValue): boolean =>
  typeof value === 'string' && value.includes('***');

/** What the file says now, or else what counts. */
export const wantedOf = (value: ServerValue): JsonValue => value.next ?? value.value;

export function matches(field: ServerField, search: string): boolean {
  const text =
    `${field.value.key} ${field.help} ${field.group} ${field.value.source}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
