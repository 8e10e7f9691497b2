// Every field of a profile that is not a list of its own (agents and checks are), in groups, with its meaning.

import { getAt, type JsonObject } from './document-edit';
import type { FieldGroup, FormField, Kind } from './form-field';
import { sandboxing } from './sandbox-fields';

const valueIs = (path: string[], value: string) => (document: JsonObject) =>
  getAt(document, path) === value;
const hasPersonas = (document: JsonObject) => {
  const personas = getAt(document, ['personas']);
  return Array.isArray(personas) && personas.length > 0;
};

export const basics: FieldGroup = {
  id: 'basics',
  title: 'Basics',
  help: 'The repository and its issue tracker.',
  fields: [
    {
      path: ['repo_root'],
      label: 'Repository',
      help: 'The directory of the repository on the server’s machine.',
      kind: { type: 'text', mono: true, placeholder: '/home/me/project' },
    },
    {
      path: ['tracker'],
      label: 'Tracker',
      help: 'Where issues come from.',
      kind: {
        type: 'choice',
        choices: [
          { value: 'noop', label: 'None', hint: 'You describe the task' },
          { value: 'github', label: 'GitHub', hint: 'Uses the gh CLI' },
          { value: 'jira', label: 'Jira', hint: 'Uses its URL and a token from the environment' },
        ],
      },
      isShort: true,
    },
    {
      path: ['plan_output_dir'],
      label: 'Plan directory',
      help: 'Inside the repository.',
      kind: { type: 'text', mono: true },
      isShort: true,
    },
    {
      path: ['plan_path_pattern'],
      label: 'Plan file name',
      help: 'May contain {date} and {issue_key}.',
      kind: { type: 'text', mono: true },
    },
    {
      path: ['commit_plan'],
      label: 'Commit the plan',
      help: 'Without this, the plan file is in the worktree, but in no commit.',
      kind: { type: 'switch' },
      isShort: true,
    },
    {
      path: ['sign_off'],
      label: 'Sign off commits',
      help: 'Adds Signed-off-by to every commit message.',
      kind: { type: 'switch' },
      isShort: true,
    },
    {
      path: ['co_author'],
      label: 'Co-author',
      help: 'Adds Co-authored-by to every commit message.',
      kind: { type: 'text', optional: true, placeholder: 'Name <name@example.com>' },
    },
  ],
};

export const work: FieldGroup = {
  id: 'work',
  title: 'Workflow',
  help: 'How agents work, from the plan to the last commit.',
  fields: [
    {
      path: ['execution_mode'],
      label: 'Execution of steps',
      help: 'In structured mode, Amelia runs the plan’s commands and compares their output.',
      kind: {
        type: 'choice',
        choices: [
          { value: 'agentic', label: 'The developer decides' },
          { value: 'structured', label: 'Step by step, as planned' },
        ],
      },
      isShort: true,
    },
    {
      path: ['parallel_tasks'],
      label: 'Parallel tasks',
      help: 'Up to 16, each in its own worktree, merged in the plan’s order.',
      kind: { type: 'number', min: 1, whole: true },
      isShort: true,
    },
    {
      path: ['max_plan_revisions'],
      label: 'Plan revisions',
      help: 'How often the architect may revise an invalid plan.',
      kind: { type: 'number', min: 0, whole: true },
      isShort: true,
    },
    {
      path: ['worktree_setup'],
      label: 'Worktree setup',
      help: 'Commands to run in a new worktree, in order.',
      kind: { type: 'list', item: 'command', placeholder: 'npm ci' },
    },
    {
      path: ['copy_files'],
      label: 'Copy files',
      help: 'Untracked files that a worktree needs, such as .env.',
      kind: { type: 'words', item: 'file', placeholder: '.env' },
    },
    {
      path: ['mcp_tools'],
      label: 'MCP tools',
      help: 'Tools of MCP servers that the agents have, as server:tool or server:*.',
      kind: { type: 'words', item: 'tool', placeholder: 'memory:*' },
    },
  ],
};

export const review: FieldGroup = {
  id: 'review',
  title: 'Review',
  help: 'Who reviews the changes, and how often before you are asked.',
  fields: [
    {
      path: ['strategy'],
      label: 'Strategy',
      help: 'One reviewer, or several with different personas.',
      kind: {
        type: 'choice',
        choices: [
          { value: 'single', label: 'One reviewer' },
          { value: 'competitive', label: 'Several reviewers' },
        ],
      },
      isShort: true,
    },
    {
      path: ['clarify_with'],
      label: 'Clarify comments with',
      help: 'Who explains an unclear review comment.',
      kind: {
        type: 'choice',
        choices: [
          { value: 'reviewer', label: 'The reviewer' },
          { value: 'person', label: 'A person' },
        ],
      },
      isShort: true,
    },
    {
      path: ['personas'],
      label: 'Reviewers',
      help: 'Reviewer personas. Default: Security, Performance, Quality.',
      kind: { type: 'words', item: 'reviewer', placeholder: 'Security' },
      isShown: (document) =>
        valueIs(['strategy'], 'competitive')(document) || hasPersonas(document),
    },
    {
      path: ['max_review_rounds'],
      label: 'Review rounds per task',
      help: 'Reviews, or failed checks in a row, before you are asked.',
      kind: { type: 'number', min: 1, whole: true },
      isShort: true,
    },
    {
      path: ['max_review_passes'],
      label: 'Automatic passes',
      help: 'Passes of a review with fixes, before you are asked.',
      kind: { type: 'number', min: 1, whole: true },
      isShort: true,
    },
  ],
};

function limit(scope: string, what: string, label: string, help: string): FormField {
  const kind: Kind = { type: 'number', above: 0, optional: true, placeholder: 'no limit' };
  const more = { usd: { unit: '$' }, wall_seconds: { unit: 's', whole: true } }[what];
  return {
    path: ['budgets', scope, what],
    label,
    help,
    kind: { ...kind, ...(more ?? { whole: true }) },
    isShort: true,
  };
}

export const budgets: FieldGroup = {
  id: 'budgets',
  columns: 4,
  title: 'Budgets',
  help: 'A run stops and asks when it reaches a limit. The server’s limits also apply; the lowest one wins.',
  fields: [
    limit('per_run', 'usd', 'Cost per run', 'In US dollars.'),
    limit('per_run', 'tokens', 'Tokens per run', 'Input and output.'),
    limit('per_run', 'calls', 'Calls per run', 'Requests to a model.'),
    limit(
      'per_run',
      'wall_seconds',
      'Time per run',
      'Active time in seconds, without waiting for you.',
    ),
    limit('per_agent', 'usd', 'Cost per agent', 'In one run, in US dollars.'),
    limit('per_agent', 'tokens', 'Tokens per agent', 'In one run, input and output.'),
    limit('per_agent', 'calls', 'Calls per agent', 'In one run.'),
  ],
};

const finishing = (what: string, label: string, help: string): FormField => ({
  path: ['finish', what],
  label,
  help,
  kind: { type: 'switch' },
  isShort: true,
});

export const finish: FieldGroup = {
  id: 'finish',
  title: 'After completion',
  help: 'What Amelia publishes when a run completes. Everything is off by default.',
  fields: [
    finishing('push', 'Push the branch', 'To the repository’s remote.'),
    finishing('pull_request', 'Open a pull request', 'Requires pushing the branch.'),
    finishing('comment', 'Comment on the issue', 'A short summary of the changes.'),
    finishing(
      'status',
      'Update the issue status',
      'Tells the tracker when work starts and when it is done.',
    ),
  ],
};

export const retrying: FieldGroup = {
  id: 'retry',
  columns: 3,
  title: 'Retries',
  help: 'When a model is temporarily unavailable. The delay doubles each time.',
  fields: [
    {
      path: ['retry', 'max_retries'],
      label: 'Retry limit',
      help: 'Attempts after the first one, up to 10.',
      kind: { type: 'number', min: 0, max: 10, whole: true },
      isShort: true,
    },
    {
      path: ['retry', 'base_delay'],
      label: 'Initial delay',
      help: '0.1 to 30 seconds.',
      kind: { type: 'number', min: 0.1, max: 30, unit: 's' },
      isShort: true,
    },
    {
      path: ['retry', 'max_delay'],
      label: 'Maximum delay',
      help: '1 to 300 seconds.',
      kind: { type: 'number', min: 1, max: 300, unit: 's' },
      isShort: true,
    },
  ],
};

export const groups: readonly FieldGroup[] = [
  basics,
  work,
  review,
  budgets,
  finish,
  sandboxing,
  retrying,
];

/** Parts of a profile that have an editor of their own, or none because they do nothing there. */
export const elsewhere = ['name', 'agents', 'checks', 'driver', 'budgets.per_day'];
