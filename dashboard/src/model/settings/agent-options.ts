// What the agents of each driver can be told.

import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { getAt, isObject, type JsonObject, pathText } from './document-edit';
import { type Choice, faultOf, type Kind } from './form-field';
import type { Problem } from './problems';

export type AgentOption = { name: string; help: string; kind: Kind; start: JsonValue };

export const drivers: readonly Choice[] = [
  { value: 'api', label: 'api', hint: 'A model over HTTP' },
  { value: 'claude', label: 'claude', hint: 'The claude program, with its sign-in' },
  { value: 'codex', label: 'codex', hint: 'The codex program, with its sign-in' },
  { value: 'acp', label: 'acp', hint: 'Any program of the Agent Client Protocol' },
  { value: 'scripted', label: 'scripted', hint: 'Not built into this version' },
];

const plain = (values: readonly string[]): Choice[] =>
  values.map((value) => ({ value, label: value }));
const choice = (...values: string[]): Kind => ({ type: 'choice', choices: plain(values) });
const word: Kind = { type: 'text', mono: true };

const provider: AgentOption = {
  name: 'provider',
  help: 'Whose model it is.',
  kind: choice(
    'deepseek',
    'openai',
    'anthropic',
    'openrouter',
    'groq',
    'ollama',
    'openai-compatible',
  ),
  start: 'deepseek',
};
const upstream: AgentOption[] = [
  provider,
  {
    name: 'base_url',
    help: 'Where it is, up to and with /v1. Left out: the provider’s.',
    kind: { type: 'text', mono: true, placeholder: 'http://127.0.0.1:8080/v1' },
    start: '',
  },
  {
    name: 'api_key_env',
    help: 'The variable that holds the key, never the key. Left out: the provider’s.',
    kind: { type: 'variable' },
    start: '',
  },
  {
    name: 'wire',
    help: 'The protocol. Left out: the provider’s.',
    kind: choice('chat', 'responses', 'messages'),
    start: 'chat',
  },
];
const reasoning: AgentOption = {
  name: 'reasoning',
  help: 'How hard it thinks: a word that it knows.',
  kind: { ...word, type: 'text', placeholder: 'low, medium, high' },
  start: 'medium',
};
const asking: AgentOption[] = [
  {
    name: 'permissions',
    help: 'Before what you are asked.',
    kind: {
      type: 'choice',
      choices: [
        { value: 'never', label: 'never' },
        { value: 'commands', label: 'commands', hint: 'and what reaches beyond the worktree' },
        { value: 'changes', label: 'changes', hint: 'commands and edits' },
      ],
    },
    start: 'commands',
  },
  {
    name: 'allow',
    help: 'What needs nobody. Only with permissions.',
    kind: { type: 'list', item: 'rule', placeholder: 'shell(cargo test*)' },
    start: [],
  },
];
const program: AgentOption = {
  name: 'program',
  help: 'Its name, or where it is.',
  kind: { ...word, type: 'text', placeholder: '/usr/local/bin/claude' },
  start: '',
};

const known: Record<string, AgentOption[]> = {
  api: [
    ...upstream,
    {
      name: 'tools',
      help: 'How it calls tools. auto: in text once native was refused.',
      kind: choice('auto', 'native', 'text'),
      start: 'auto',
    },
    {
      name: 'context_tokens',
      help: 'What fits the model; longer conversations are shortened.',
      kind: { type: 'number', above: 0, whole: true },
      start: 128_000,
    },
    {
      name: 'temperature',
      help: '0 to 2. Left out: the provider’s.',
      kind: { type: 'number', min: 0, max: 2 },
      start: 0.2,
    },
    {
      name: 'max_tokens',
      help: 'The longest answer.',
      kind: { type: 'number', above: 0, whole: true },
      start: 8_192,
    },
    reasoning,
  ],
  claude: [program, reasoning, ...asking, ...upstream],
  codex: [
    program,
    {
      name: 'mode',
      help: 'exec: told once, then only heard; it cannot ask you.',
      kind: choice('app-server', 'exec'),
      start: 'app-server',
    },
    reasoning,
    ...asking,
    ...upstream,
  ],
  acp: [
    {
      name: 'command',
      help: 'The program and its arguments, a word on each line.',
      kind: { type: 'list', item: 'word', placeholder: 'opencode' },
      start: [''],
    },
    {
      name: 'env',
      help: 'Names of variables that it gets, such as that of its key.',
      kind: { type: 'words', item: 'variable', placeholder: 'GEMINI_API_KEY' },
      start: [],
    },
    ...asking,
  ],
};

export const optionsOf = (driver: JsonValue | undefined): readonly AgentOption[] =>
  typeof driver === 'string' ? (known[driver] ?? []) : [];

/** What the server will refuse in an agent. */
export function agentFaults(document: JsonObject, role: string): Problem[] {
  const agent = getAt(document, ['agents', role]);
  const at = (...more: string[]) => pathText(['agents', role, ...more]);
  if (!isObject(agent)) return [{ path: at(), message: 'must be an object' }];
  const found: Problem[] = [];
  const add = (path: string, message: string | undefined) => {
    if (message) found.push({ path, message });
  };
  add(at('driver'), faultOf({ type: 'choice', choices: drivers }, agent.driver));
  add(at('model'), faultOf({ type: 'text' }, agent.model ?? ''));
  const options = isObject(agent.options) ? agent.options : {};
  const list = optionsOf(agent.driver);
  for (const [name, value] of Object.entries(options)) {
    const option = list.find((one) => one.name === name);
    if (option) add(at('options', name), faultOf(option.kind, value));
    else if (list.length > 0)
      add(at('options', name), `is not an option of the ${agent.driver} driver: take it out`);
  }
  return found;
}
