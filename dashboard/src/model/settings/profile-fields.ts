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
  help: 'Where the work is done, and where its issues come from.',
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
      help: 'Where issues are read, and answered.',
      kind: {
        type: 'choice',
        choices: [
          { value: 'noop', label: 'None', hint: 'Issues are typed in' },
          { value: 'github', label: 'GitHub', hint: 'By the gh program' },
          { value: 'jira', label: 'Jira', hint: 'By its address and a token in the environment' },
        ],
      },
      isShort: true,
    },
    {
      path: ['plan_output_dir'],
      label: 'Directory of plans',
      help: 'Inside the repository.',
      kind: { type: 'text', mono: true },
      isShort: true,
    },
    {
      path: ['plan_path_pattern'],
      label: 'File of a plan',
      help: 'May hold {date} and {issue_key}.',
      kind: { type: 'text', mono: true },
    },
  ],
};

export const work: FieldGroup = {
  id: 'work',
  title: 'How work goes',
  help: 'From the plan to the last commit.',
  fields: [
    {
      path: ['execution_mode'],
      label: 'Who does the steps',
      help: 'Structured: Amelia runs the plan’s commands and compares what they print.',
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
      label: 'Tasks at the same time',
      help: 'Up to 16, each in a worktree of its own; merged in the plan’s order.',
      kind: { type: 'number', min: 1, whole: true },
      isShort: true,
    },
    {
      path: ['max_plan_revisions'],
      label: 'Revisions of a plan',
      help: 'So often the architect mends a plan that cannot be used.',
      kind: { type: 'number', min: 0, whole: true },
      isShort: true,
    },
    {
      path: ['worktree_setup'],
      label: 'Set up a worktree',
      help: 'Commands that make a fresh worktree usable, in order.',
      kind: { type: 'list', item: 'command', placeholder: 'npm ci' },
    },
    {
      path: ['copy_files'],
      label: 'Copy files',
      help: 'What git does not track but a worktree needs, such as .env.',
      kind: { type: 'words', item: 'file', placeholder: '.env' },
    },
  ],
};

export const review: FieldGroup = {
  id: 'review',
  title: 'Review',
  help: 'Who looks at the work, and how often before you are asked.',
  fields: [
    {
      path: ['strategy'],
      label: 'Strategy',
      help: 'One reviewer, or several that each look for something else.',
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
      label: 'Unclear comments go to',
      help: 'Who is asked what a comment means.',
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
      help: 'What each looks for. Nobody named: Security, Performance, Quality.',
      kind: { type: 'words', item: 'reviewer', placeholder: 'Security' },
      isShown: (document) =>
        valueIs(['strategy'], 'competitive')(document) || hasPersonas(document),
    },
    {
      path: ['max_review_rounds'],
      label: 'Rounds for a task',
      help: 'Reviews, and failing checks in a row, before you are asked.',
      kind: { type: 'number', min: 1, whole: true },
      isShort: true,
    },
    {
      path: ['max_review_passes'],
      label: 'Passes by itself',
      help: 'Of a review that repairs, before you are asked.',
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
  help: 'A run stops and asks when it reaches one. The server’s own limits count as well; the lowest wins.',
  fields: [
    limit('per_run', 'usd', 'Cost of a run', 'In US dollars.'),
    limit('per_run', 'tokens', 'Tokens of a run', 'In and out.'),
    limit('per_run', 'calls', 'Calls of a run', 'Questions to a model.'),
    limit('per_run', 'wall_seconds', 'Time of a run', 'Seconds at work; waiting for you is free.'),
    limit('per_agent', 'usd', 'Cost of an agent', 'In one run, in US dollars.'),
    limit('per_agent', 'tokens', 'Tokens of an agent', 'In one run, in and out.'),
    limit('per_agent', 'calls', 'Calls of an agent', 'In one run.'),
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
  title: 'When it is done',
  help: 'What leaves this machine at the end. Nothing, unless you say so.',
  fields: [
    finishing('push', 'Push the branch', 'To the repository’s remote.'),
    finishing('pull_request', 'Open a pull request', 'Needs the branch to be pushed.'),
    finishing('comment', 'Comment on the issue', 'What was done, in a few lines.'),
    finishing('status', 'Move the issue on', 'To the tracker’s next status.'),
  ],
};

export const retrying: FieldGroup = {
  id: 'retry',
  columns: 3,
  title: 'Try again',
  help: 'When a model cannot be reached for a moment. The wait doubles each time.',
  fields: [
    {
      path: ['retry', 'max_retries'],
      label: 'Tries',
      help: 'After the first one; 10 at most.',
      kind: { type: 'number', min: 0, max: 10, whole: true },
      isShort: true,
    },
    {
      path: ['retry', 'base_delay'],
      label: 'First wait',
      help: '0.1 to 30 seconds.',
      kind: { type: 'number', min: 0.1, max: 30, unit: 's' },
      isShort: true,
    },
    {
      path: ['retry', 'max_delay'],
      label: 'Longest wait',
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
