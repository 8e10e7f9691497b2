// The server's configuration: what each value means, and how it is edited.

import type { ServerValue } from '@/wire/ServerValue';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import type { Kind } from './form-field';

type FieldInfo = { group: string; help: string; kind?: Kind };

const address: Kind = { type: 'text', mono: true, optional: true };
const file: Kind = { type: 'text', mono: true, optional: true, placeholder: 'none' };
const whole = (min: number): Kind => ({ type: 'number', min, whole: true });
const seconds: Kind = { type: 'number', above: 0, unit: 's' };

const fieldInfo: Readonly<Record<string, FieldInfo>> = {
  host: {
    group: 'Network',
    help: 'The address the server listens on. Use TLS in front of it if other machines connect.',
    kind: { type: 'text', mono: true },
  },
  port: {
    group: 'Network',
    help: 'The port the server listens on.',
    kind: { type: 'number', min: 1, max: 65_535, whole: true },
  },
  websocket_idle_timeout_seconds: {
    group: 'Network',
    help: 'Seconds until an idle WebSocket is closed.',
    kind: seconds,
  },
  rate_limits: {
    group: 'Network',
    help: 'Limits per group of requests: {"default": {"requests": 100, "per_seconds": 10}}.',
    kind: { type: 'json' },
  },
  max_concurrent: { group: 'Runs', help: 'Maximum number of concurrent runs.', kind: whole(1) },
  'sub_agents.depth': {
    group: 'Runs',
    help: 'Maximum number of levels of sub-agents.',
    kind: { type: 'number', min: 1, max: 10, whole: true },
  },
  'sub_agents.per_run': {
    group: 'Runs',
    help: 'Maximum number of sub-agents in a run.',
    kind: { type: 'number', min: 1, max: 1_000, whole: true },
  },
  'sub_agents.at_once': {
    group: 'Runs',
    help: 'Maximum number of sub-agents of a run that work at the same time.',
    kind: { type: 'number', min: 1, max: 64, whole: true },
  },
  workflow_start_timeout_seconds: {
    group: 'Runs',
    help: 'Maximum time for a run to start.',
    kind: seconds,
  },
  api_key_envs: {
    group: 'Runs',
    help: 'Environment variables that profiles may use as API keys. Names only; values are never shown.',
    kind: { type: 'words', item: 'variable', placeholder: 'MY_API_KEY' },
  },
  database_path: {
    group: 'Storage',
    help: 'The database file, relative to Amelia’s home unless it starts with /.',
    kind: { type: 'text', mono: true },
  },
  durability: {
    group: 'Storage',
    help: 'What a confirmed write survives.',
    kind: {
      type: 'choice',
      choices: [
        { value: 'full', label: 'full', hint: 'Survives a power failure' },
        { value: 'relaxed', label: 'relaxed', hint: 'Survives a crash of the server; faster' },
      ],
    },
  },
  log_retention_days: {
    group: 'Storage',
    help: 'Days to keep debug events and recordings of finished runs.',
    kind: whole(1),
  },
  log_retention_max_events: {
    group: 'Storage',
    help: 'Debug events to keep per run.',
    kind: whole(1_000),
  },
  task_files: {
    group: 'Storage',
    help: 'Whether runs are also written to JSON files in tasks/ in Amelia’s home.',
  },
  'auth.mode': {
    group: 'Sign-in',
    help: 'How clients authenticate. none works on this machine only.',
    kind: {
      type: 'choice',
      choices: [
        { value: 'token', label: 'token', hint: 'Anyone with the server’s token' },
        { value: 'none', label: 'none', hint: 'Anyone on this machine' },
      ],
    },
  },
  'auth.secret_env': {
    group: 'Sign-in',
    help: 'jwt: the environment variable that holds the shared secret.',
    kind: { type: 'text', mono: true, optional: true, placeholder: 'none' },
  },
  'auth.key_file': { group: 'Sign-in', help: 'jwt: a public key file.', kind: file },
  'auth.jwks_file': { group: 'Sign-in', help: 'jwt: a JWKS file.', kind: file },
  'auth.jwks_url': { group: 'Sign-in', help: 'jwt: the URL of the JWKS.', kind: file },
  'auth.issuer': { group: 'Sign-in', help: 'jwt: the required issuer.', kind: file },
  'auth.audience': { group: 'Sign-in', help: 'jwt: the required audience.', kind: file },
  'budgets.per_run': { group: 'Budgets', help: 'The budget of a run.' },
  'budgets.per_agent': { group: 'Budgets', help: 'The budget of an agent in a run.' },
  'budgets.per_day': { group: 'Budgets', help: 'The daily budget of all runs.' },
  otlp_endpoint: {
    group: 'Integrations',
    help: 'Where traces of runs are sent: the address of an OpenTelemetry collector.',
    kind: address,
  },
  redis_url: {
    group: 'Integrations',
    help: 'Not supported in this version. Leave empty.',
    kind: address,
  },
};

export const serverGroups = [
  'Network',
  'Runs',
  'Budgets',
  'Storage',
  'Sign-in',
  'Integrations',
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
    const help = fieldInfo[`budgets.${scope}`]?.help ?? '';
    return { value, group: 'Budgets', help, kind: { ...kind, ...(unit ?? { whole: true }) } };
  }
  const own = fieldInfo[value.key];
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

/** A flag or a variable wins over the file: a value there would have no effect. */
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
