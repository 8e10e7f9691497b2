// The draft of a run that is about to start: as it is typed, and what is sent for it.

import type { Budget } from '@/wire/Budget';
import type { NewReview } from '@/wire/NewReview';
import type { NewWorkflow } from '@/wire/NewWorkflow';

/** A text file that goes with the request. */
export type Attachment = { name: string; size: number; text: string };

export type Draft = {
  /** `null` until one is chosen; until then the page may guess. */
  repository: string | null;
  profile: string | null;
  kind: 'implementation' | 'review';
  source: 'issue' | 'text';
  issue: string;
  issueTitle: string;
  title: string;
  description: string;
  changes: 'local' | 'base' | 'pull';
  reviewBase: string;
  pull: string;
  fix: boolean;
  personas: string;
  design: Attachment | null;
  plan: Attachment | null;
  branch: string;
  base: string;
  inPlace: boolean;
  usd: string;
  tokens: string;
  calls: string;
  minutes: string;
};

export const emptyDraft: Draft = {
  repository: null,
  profile: null,
  kind: 'implementation',
  source: 'issue',
  issue: '',
  issueTitle: '',
  title: '',
  description: '',
  changes: 'local',
  reviewBase: '',
  pull: '',
  fix: false,
  personas: '',
  design: null,
  plan: null,
  branch: '',
  base: '',
  inPlace: false,
  usd: '',
  tokens: '',
  calls: '',
  minutes: '',
};

const choices: Partial<Record<keyof Draft, readonly string[]>> = {
  kind: ['implementation', 'review'],
  source: ['issue', 'text'],
  changes: ['local', 'base', 'pull'],
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isAttachment = (value: unknown): value is Attachment =>
  isObject(value) &&
  typeof value.name === 'string' &&
  typeof value.size === 'number' &&
  typeof value.text === 'string';

/** Whether this is a draft of this version of the page. */
export function isDraft(value: unknown): value is Draft {
  if (!isObject(value)) return false;
  return Object.entries(emptyDraft).every(([key, empty]) => {
    const said = value[key];
    if (key === 'design' || key === 'plan') return said === null || isAttachment(said);
    if (empty === null) return said === null || typeof said === 'string';
    const allowed = Object.entries(choices).find(([name]) => name === key)?.[1];
    if (allowed) return typeof said === 'string' && allowed.includes(said);
    return typeof said === typeof empty;
  });
}

/** What stays for the next run: its repository and profile. */
export const keptForNext = (draft: Draft): Draft => ({
  ...emptyDraft,
  repository: draft.repository,
  profile: draft.profile,
  kind: draft.kind,
  source: draft.source,
});

export type Prefill = {
  repository?: string | null;
  title?: string | null;
  issue?: string | null;
  profile?: string | null;
};

/** The draft as a link asks for it: what the link names wins over what was typed. */
export function prefilled(draft: Draft, link: Prefill): Draft {
  const next = { ...draft };
  if (link.repository) next.repository = link.repository;
  if (link.profile) next.profile = link.profile;
  if (!link.issue && !link.title) return next;
  next.kind = 'implementation';
  next.issue = link.issue ?? '';
  next.issueTitle = '';
  next.title = link.title ?? '';
  next.source = link.title ? 'text' : 'issue';
  return next;
}

/** How a run is started: at once, only as far as its plan, or queued for later. */
export type StartMode = 'now' | 'plan' | 'later';

const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

export type Amounts = Pick<Draft, 'usd' | 'tokens' | 'calls' | 'minutes'>;

/** What was typed as limits; `null` when nothing was. Call it on amounts without problems. */
export function budgetOf({ usd, tokens, calls, minutes }: Amounts): Budget | null {
  const number = (text: string) => (text.trim() === '' ? null : Number(text));
  const time = number(minutes);
  const budget: Budget = {
    usd: number(usd),
    tokens: number(tokens),
    calls: number(calls),
    wall_seconds: time === null ? null : Math.round(time * 60),
  };
  return Object.values(budget).every((limit) => limit === null) ? null : budget;
}

export type Workflow = Partial<NewWorkflow> & { worktree_path: string };
export type Review = Partial<NewReview> & { worktree_path: string };

export function workflowOf(draft: Draft, when: StartMode): Workflow {
  const isText = draft.source === 'text';
  return {
    worktree_path: draft.repository ?? '',
    profile: draft.profile,
    issue_id: orNull(draft.issue),
    title: isText ? orNull(draft.title) : null,
    description: isText ? orNull(draft.description) : null,
    branch: orNull(draft.branch),
    base: orNull(draft.base),
    in_place: draft.inPlace,
    queue: when !== 'now',
    plan_now: when === 'plan',
    plan_content: draft.plan?.text ?? null,
    design: draft.design?.text ?? null,
    budget: budgetOf(draft),
  };
}

export const personasOf = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

export function reviewOf(draft: Draft): Review {
  return {
    worktree_path: draft.repository ?? '',
    profile: draft.profile,
    base: draft.changes === 'base' ? orNull(draft.reviewBase) : null,
    pull_request: draft.changes === 'pull' ? Number(draft.pull) : null,
    mode: draft.fix && draft.changes !== 'pull' ? 'review_fix' : 'review_only',
    personas: personasOf(draft.personas),
    budget: budgetOf(draft),
  };
}
