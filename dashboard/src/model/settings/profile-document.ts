// A profile as a document: what a new one looks like, and what of it goes to the server.

import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { isObject, type JsonObject, removeAt, setAt } from './document-edit';

/** The roles of the agents, in the order of their work. */
export const roles = ['architect', 'developer', 'reviewer', 'evaluator', 'oracle'] as const;

const unlimited = { usd: null, tokens: null, calls: null, wall_seconds: null };

/** A profile with the server's own defaults, and agents that use an API. */
export function newProfile(name: string, repository: string): JsonObject {
  return {
    name,
    tracker: 'noop',
    repo_root: repository,
    plan_output_dir: 'docs/plans',
    plan_path_pattern: 'docs/plans/{date}-{issue_key}.md',
    commit_plan: false,
    sign_off: false,
    co_author: null,
    retry: { max_retries: 3, base_delay: 1, max_delay: 60 },
    agents: {
      architect: newAgent(),
      developer: newAgent(),
      reviewer: newAgent(),
      evaluator: newAgent(),
    },
    sandbox: { mode: 'none' },
    checks: [],
    strategy: 'single',
    personas: [],
    execution_mode: 'agentic',
    parallel_tasks: 1,
    max_plan_revisions: 3,
    max_review_rounds: 5,
    max_review_passes: 3,
    clarify_with: 'reviewer',
    budgets: { per_run: { ...unlimited }, per_agent: { ...unlimited }, per_day: { ...unlimited } },
    worktree_setup: [],
    copy_files: [],
    mcp_tools: [],
    finish: { push: false, pull_request: false, comment: false, status: false },
  };
}

export function newAgent(driver = 'api', model = 'deepseek-flash'): JsonObject {
  return { driver, model, options: driver === 'api' ? { provider: 'deepseek' } : {} };
}

/** What the server shows beside the profile is not part of it. */
export function profileDocument(shown: object): JsonObject {
  const document: JsonValue = removeAt(copyOf(shown), ['is_active']);
  return isObject(document) ? document : {};
}

const copyOf = (value: object): JsonValue => JSON.parse(JSON.stringify(value));

export function renamed(document: JsonObject, name: string): JsonObject {
  const after = setAt(document, ['name'], name);
  return isObject(after) ? after : document;
}

/** `work-copy`, `work-copy-2`, …: a name that is not taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
  if (!taken.includes(wanted)) return wanted;
  let count = 2;
  while (taken.includes(`${wanted}-${count}`)) count += 1;
  return `${wanted}-${count}`;
}

export type ParseResult = { document: JsonObject } | { problem: string };

/** Reads typed text as JSON. */
export function parseProfile(text: string): ParseResult {
  try {
    const value: JsonValue = JSON.parse(text);
    if (!isObject(value)) return { problem: 'A profile must be a JSON object, starting with {' };
    return { document: value };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'This is not valid JSON' };
  }
}

export const documentText = (document: JsonValue): string => JSON.stringify(document, null, 2);
