import { describe, expect, it } from 'vitest';
import type { Profile } from '@/wire/Profile';
import type { SandboxConfig } from '@/wire/SandboxConfig';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { agentFaults } from './agent-options';
import { isObject, type JsonObject, type Path, pathText, setAt } from './document-edit';
import { faultOf, faultsOf, typedNumber } from './form-field';
import { freeName, newProfile, parseProfile, profileDocument } from './profile-document';
import { elsewhere, groups } from './profile-fields';

const sandbox: SandboxConfig = {
  mode: 'none',
  image: 'amelia-sandbox:latest',
  network_allowlist_enabled: false,
  network_allowed_hosts: ['github.com'],
  repo_url: null,
  daytona_api_url: 'https://app.daytona.io/api',
  daytona_target: 'us',
  daytona_resources: null,
  daytona_image: 'python:3.12-slim',
  daytona_snapshot: null,
  daytona_timeout: 120,
};
const none = { usd: null, tokens: null, calls: null, wall_seconds: null };
/** Typed by the wire: a new field of a profile must be named here, and then in the form. */
const profile: Profile = {
  name: 'work',
  tracker: 'noop',
  repo_root: '/src',
  plan_output_dir: 'docs/plans',
  plan_path_pattern: 'docs/plans/{date}-{issue_key}.md',
  commit_plan: false,
  sign_off: false,
  co_author: null,
  retry: { max_retries: 3, base_delay: 1, max_delay: 60 },
  agents: {},
  sandbox,
  checks: [],
  strategy: 'single',
  personas: [],
  execution_mode: 'agentic',
  parallel_tasks: 1,
  max_plan_revisions: 3,
  max_review_rounds: 5,
  max_review_passes: 3,
  clarify_with: 'reviewer',
  budgets: { per_run: none, per_agent: none, per_day: none },
  worktree_setup: [],
  copy_files: [],
  mcp_tools: [],
  finish: { push: false, pull_request: false, comment: false, status: false },
  driver: null,
};

function leaves(value: JsonValue, above: Path = []): Path[] {
  if (!isObject(value)) return [above];
  const inside = Object.entries(value);
  return inside.length === 0
    ? [above]
    : inside.flatMap(([key, item]) => leaves(item, [...above, key]));
}

const fields = groups.flatMap((group) => group.fields);
const faults = (document: JsonObject) => faultsOf(fields, document).map((fault) => fault.path);

describe('the form of a profile', () => {
  it('has a field for everything', () => {
    const shown = new Set(fields.map((field) => pathText(field.path)));
    const missing = leaves(profileDocument(profile))
      .map(pathText)
      .filter((path) => !shown.has(path))
      .filter((path) => !elsewhere.some((part) => path === part || path.startsWith(`${part}.`)));
    // Time at work is limited per run only.
    expect(missing).toEqual(['budgets.per_agent.wall_seconds']);
    expect(fields.every((field) => field.help.length > 0)).toBe(true);
  });

  it('finds nothing wrong with a new profile', () => {
    const document = newProfile('work', '/src');
    expect(faults(document)).toEqual([]);
    expect(agentFaults(document, 'developer')).toEqual([]);
  });

  it('finds what is wrong where it is', () => {
    let document: JsonValue = profileDocument(profile);
    for (const [path, value] of [
      [['repo_root'], ' '],
      [['parallel_tasks'], 0],
      [['retry', 'max_delay'], 'soon'],
      [['budgets', 'per_run', 'usd'], 0],
      [['strategy'], 'many'],
    ] satisfies [Path, JsonValue][])
      document = setAt(document, path, value);
    expect(isObject(document) ? faults(document) : []).toEqual([
      'repo_root',
      'parallel_tasks',
      'strategy',
      'budgets.per_run.usd',
      'retry.max_delay',
    ]);
  });

  it('judges agents by their driver', () => {
    const document = {
      agents: {
        developer: {
          driver: 'claude',
          model: '',
          options: { temperature: 1, api_key_env: 'sk-live-123' },
        },
      },
    };
    expect(agentFaults(document, 'developer').map((fault) => fault.path)).toEqual([
      'agents.developer.model',
      'agents.developer.options.temperature',
      'agents.developer.options.api_key_env',
    ]);
  });

  it.each<[string, boolean, JsonValue]>([
    ['12', false, 12],
    [' 1.5 ', false, 1.5],
    ['1,000,000', false, 1_000_000],
    ['1_000', false, 1000],
    ['', true, null],
    ['', false, ''],
    ['ten', true, 'ten'],
    ['1,5', false, '1,5'],
  ])('reads %j as a number', (text, optional, value) => {
    expect(typedNumber(text, optional)).toEqual(value);
  });

  it('wants whole numbers where halves mean nothing', () => {
    expect(faultOf({ type: 'number', whole: true }, 1.5)).toBe('must be a whole number');
  });

  it('sends no more than the profile itself', () => {
    expect(profileDocument({ is_active: true, name: 'a', of_tomorrow: 1 })).toEqual({
      name: 'a',
      of_tomorrow: 1,
    });
  });

  it('names copies, and reads JSON', () => {
    expect(freeName('a', ['a', 'a-2'])).toBe('a-3');
    expect(parseProfile('[]')).toHaveProperty('problem');
    expect(parseProfile('{"a":')).toHaveProperty('problem');
    expect(parseProfile('{"a":1}')).toEqual({ document: { a: 1 } });
  });
});
