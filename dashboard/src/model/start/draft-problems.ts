// What is wrong with a draft, and at which field of the page to say it.

import type { Amounts, Draft } from './draft';

/** The fields of the page that a problem can belong to. */
export type FieldName =
  | 'repository'
  | 'profile'
  | 'issue'
  | 'title'
  | 'description'
  | 'attachments'
  | 'reviewBase'
  | 'pull'
  | 'fix'
  | 'personas'
  | 'design'
  | 'plan'
  | 'branch'
  | 'base'
  | 'inPlace'
  | 'usd'
  | 'tokens'
  | 'calls'
  | 'minutes';

/** `field` is `null` when it belongs to none. */
export type Problem = { field: FieldName | null; message: string; hint?: string | null };

export const fieldLabels: Record<FieldName, string> = {
  repository: 'Repository',
  profile: 'Profile',
  issue: 'Issue',
  title: 'Title',
  description: 'Description',
  attachments: 'Attached files',
  reviewBase: 'Since',
  pull: 'Pull request',
  fix: 'Fix',
  personas: 'Reviewers',
  design: 'Design',
  plan: 'Plan',
  branch: 'Branch',
  base: 'Start from',
  inPlace: 'In place',
  usd: 'Cost',
  tokens: 'Tokens',
  calls: 'Calls',
  minutes: 'Time',
};

const named: Record<string, FieldName> = {
  worktree_path: 'repository',
  profile: 'profile',
  title: 'title',
  description: 'description',
  attachments: 'attachments',
  branch: 'branch',
  pull_request: 'pull',
  mode: 'fix',
  personas: 'personas',
  design: 'design',
  plan: 'plan',
  plan_content: 'plan',
  plan_file: 'plan',
  in_place: 'inPlace',
  'budget.usd': 'usd',
  'budget.tokens': 'tokens',
  'budget.calls': 'calls',
  'budget.wall_seconds': 'minutes',
};

/** The field that a path of the request is typed into. */
export function fieldOf(path: string, draft: Draft): FieldName | null {
  const plain = path.replace(/\[\d+\].*$/, '');
  if (plain === 'issue_id') return draft.source === 'text' ? 'title' : 'issue';
  if (plain === 'base') return draft.kind === 'review' ? 'reviewBase' : 'base';
  return named[plain] ?? null;
}

type ErrorBody = {
  code: string;
  message: string;
  hint: string | null;
  details: Record<string, unknown>;
};

const isProblem = (value: unknown): value is { path: string; message: string } =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  'message' in value &&
  typeof value.path === 'string' &&
  typeof value.message === 'string';

/** What the server refused, each at its field as far as the server says which. */
export function problemsOfError(error: ErrorBody, draft: Draft): Problem[] {
  const listed = error.details.problems;
  if (Array.isArray(listed) && listed.length > 0) {
    // A hint is about all of them; with one, it stands below it.
    const hint = listed.length === 1 ? { hint: error.hint } : {};
    return listed.filter(isProblem).map(({ path, message }) => {
      const field = fieldOf(path, draft);
      const words = field === null && path !== '' ? `${path}: ${message}` : message;
      return { field, message: words, ...hint };
    });
  }
  return [{ field: null, message: error.message, hint: error.hint }];
}

/** What can be seen without asking the server. */
export function problemsOf(draft: Draft): Problem[] {
  const problems: Problem[] = [];
  const say = (field: FieldName, message: string) => problems.push({ field, message });
  if (!draft.repository?.trim()) say('repository', 'Choose a repository.');
  if (draft.kind === 'implementation') {
    if (draft.source === 'text' && !draft.title.trim()) say('title', 'Enter a title.');
    if (draft.source === 'issue' && !draft.issue.trim()) say('issue', 'Choose an issue.');
  } else {
    if (draft.changes === 'base' && !draft.reviewBase.trim())
      say('reviewBase', 'Enter the commit or branch to compare with.');
    if (draft.changes === 'pull' && !/^[1-9]\d*$/.test(draft.pull.trim()))
      say('pull', 'Enter a pull request number.');
  }
  return [...problems, ...amountProblems(draft)];
}

function amountProblems(draft: Amounts): Problem[] {
  const problems: Problem[] = [];
  const check = (field: FieldName, text: string, fits: (value: number) => boolean, say: string) => {
    if (text.trim() !== '' && !fits(Number(text))) problems.push({ field, message: say });
  };
  const positive = (value: number) => Number.isFinite(value) && value > 0;
  check('usd', draft.usd, positive, 'Enter an amount above 0, or leave this empty.');
  check('tokens', draft.tokens, isCount, 'Enter a whole number, or leave this empty.');
  check('calls', draft.calls, isCount, 'Enter a whole number, or leave this empty.');
  check(
    'minutes',
    draft.minutes,
    positive,
    'Enter a number of minutes above 0, or leave this empty.',
  );
  return problems;
}

const isCount = (value: number) => Number.isSafeInteger(value) && value > 0;
