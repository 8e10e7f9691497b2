// What the agents of each driver can be told.

import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { getAt, isObject, type JsonObject, pathText } from './document-edit';
import { type Choice, faultOf, type Kind } from './form-field';
import type { Problem } from './problems';

export type AgentOption = { name: string; help: string; kind: Kind; start: JsonValue };

export const drivers: readonly Choice[] = [
  { value: 'api', label: 'api', hint: 'A model API over HTTP' },
  { value: 'claude', label: 'claude', hint: 'Claude Code with its own sign-in' },
  { value: 'codex', label: 'codex', hint: 'Codex CLI with its own sign-in' },
  { value: 'acp', label: 'acp', hint: 'Any agent that speaks the Agent Client Protocol' },
  { value: 'scripted', label: 'scripted', hint: 'Not built into this version' },
];

const plain = (values: readonly string[]): Choice[] =>
  values.map((value) => ({ value, label: value }));
const choice = (...values: string[]): Kind => ({ type: 'choice', choices: plain(values) });
const word: Kind = { type: 'text', mono: true };

const provider: AgentOption = {
  name: 'provider',
  help: 'The model provider.',
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
    help: 'The API’s base URL, including /v1. Default: the provider’s.',
    kind: { type: 'text', mono: true, placeholder: 'http://127.0.0.1:8080/v1' },
    start: '',
  },
  {
    name: 'api_key_env',
    help: 'The environment variable that holds the API key, never the key itself. Default: the provider’s.',
    kind: { type: 'variable' },
    start: '',
  },
  {
    name: 'wire',
    help: 'The API format. Default: the provider’s.',
    kind: choice('chat', 'responses', 'messages'),
    start: 'chat',
  },
];
const reasoning: AgentOption = {
  name: 'reasoning',
  help: 'The reasoning effort, as the model names it.',
  kind: { ...word, type: 'text', placeholder: 'low, medium, high' },
  start: 'medium',
};
const asking: AgentOption[] = [
  {
    name: 'permissions',
    help: 'What the agent must ask you about first.',
    kind: {
      type: 'choice',
      choices: [
        { value: 'never', label: 'never' },
        { value: 'commands', label: 'commands', hint: 'commands, and access outside the worktree' },
        { value: 'changes', label: 'changes', hint: 'commands and edits' },
      ],
    },
    start: 'commands',
  },
  {
    name: 'allow',
    help: 'What is allowed without asking, if permissions is set to commands or changes.',
    kind: { type: 'list', item: 'rule', placeholder: 'shell(cargo test*)' },
    start: [],
  },
];
const program: AgentOption = {
  name: 'program',
  help: 'The program’s name or path.',
  kind: { ...word, type: 'text', placeholder: '/usr/local/bin/claude' },
  start: '',
};

const known: Record<string, AgentOption[]> = {
  api: [
    ...upstream,
    {
      name: 'tools',
      help: 'How the model calls tools. auto switches to text if the API rejects native tool calls.',
      kind: choice('auto', 'native', 'text'),
      start: 'auto',
    },
    {
      name: 'context_tokens',
      help: 'The model’s context window. Longer conversations are shortened.',
      kind: { type: 'number', above: 0, whole: true },
      start: 128_000,
    },
    {
      name: 'temperature',
      help: 'From 0 to 2. Default: the provider’s.',
      kind: { type: 'number', min: 0, max: 2 },
      start: 0.2,
    },
    {
      name: 'max_tokens',
      help: 'The maximum length of an answer.',
      kind: { type: 'number', above: 0, whole: true },
      start: 8_192,
    },
    reasoning,
    ...asking,
  ],
  claude: [program, reasoning, ...asking, ...upstream],
  codex: [
    program,
    {
      name: 'mode',
      help: 'In exec mode, the agent gets one prompt and cannot ask you anything.',
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
      help: 'The program and its arguments, one per line.',
      kind: { type: 'list', item: 'word', placeholder: 'opencode' },
      start: [''],
    },
    {
      name: 'env',
      help: 'Environment variables to pass on, such as the one with its API key.',
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
      add(at('options', name), `is not an option of the ${agent.driver} driver; remove it`);
  }
  return found;
}
