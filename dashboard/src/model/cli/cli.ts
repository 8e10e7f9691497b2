// Every action on a screen is a command in a terminal, too: what to paste there.

import type { Budget } from '@/wire/Budget';
import type { MergeWay } from '@/wire/MergeWay';

/** A word that a POSIX shell takes as it is. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What commands have to name to reach this server. `null`: they find it by themselves. */
let home: string | null = null;

/** Said once the server has told it, before any page makes a command. */
export function nameHome(directory: string | null): void {
  home = directory;
}

export const namedHome = () => home;

/** The program, told where this server is. */
const program = () => (home === null ? 'amelia' : `amelia --home ${quoted(home)}`);

/** A command line that reaches this server. */
export const command = (...words: string[]) => [program(), ...words.map(quoted)].join(' ');

/** A text of the server with commands in it, which does not know from where they are called. */
export const reaching = (text: string) =>
  text.replace(/(^|`)amelia (?=[a-z])/g, (_, before: string) => `${before}${program()} `);

/** The same from another directory: these commands work where the shell is. */
export const inside = (directory: string, line: string) =>
  directory === '' ? line : `cd ${quoted(directory)} && ${line}`;

type Argument = string | number | null | undefined;

/** A flag with its value; nothing when there is none. `--flag=value` when the value looks like a flag. */
export function flag(name: string, value: Argument): string[] {
  if (value === null || value === undefined || value === '') return [];
  const text = String(value);
  return text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text];
}

const on = (name: string, isOn: boolean | undefined): string[] => (isOn ? [`--${name}`] : []);

export type StartOptions = {
  directory: string;
  issue?: string | null;
  title?: string | null;
  description?: string | null;
  /** Names of files. */
  attach?: string[];
  profile?: string | null;
  /** Names of files. */
  planFile?: string | null;
  design?: string | null;
  branch?: string | null;
  base?: string | null;
  inPlace?: boolean;
  budget?: Partial<Budget> | null;
  queue?: boolean;
  plan?: boolean;
};

/** How much a run may use. */
const limitWords = (budget: Partial<Budget> | null | undefined): string[] => [
  ...flag('budget', budget?.usd),
  ...flag('max-tokens', budget?.tokens),
  ...flag('max-calls', budget?.calls),
  ...flag('max-time', budget?.wall_seconds == null ? null : `${budget.wall_seconds}s`),
];

function startWords(wanted: StartOptions): string[] {
  return [
    ...flag('title', wanted.title),
    ...flag('description', wanted.description),
    ...(wanted.attach ?? []).flatMap((name) => flag('attach', name)),
    ...flag('profile', wanted.profile),
    ...flag('plan-file', wanted.planFile),
    ...flag('design', wanted.design),
    ...flag('branch', wanted.branch),
    ...flag('base', wanted.base),
    ...on('in-place', wanted.inPlace),
    ...limitWords(wanted.budget),
    ...on('queue', wanted.queue),
    ...on('plan', wanted.plan),
    ...(wanted.issue ? positional(wanted.issue) : []),
  ];
}

/** A word that is not read as a flag, even if it begins like one. */
export const positional = (word: string) => (word.startsWith('-') ? ['--', word] : [word]);

export type ReviewOptions = {
  directory: string;
  base?: string | null;
  pullRequest?: number | null;
  fix?: boolean;
  personas?: string[];
  profile?: string | null;
  budget?: Partial<Budget> | null;
};

function reviewWords(wanted: ReviewOptions): string[] {
  return [
    ...flag('base', wanted.base),
    ...flag('pr', wanted.pullRequest),
    ...on('fix', wanted.fix),
    ...flag('personas', wanted.personas?.join(',')),
    ...flag('profile', wanted.profile),
    ...limitWords(wanted.budget),
  ];
}

export type MergeOptions = { into?: string; method: MergeWay; deletes?: boolean };

export type UsageOptions = {
  by?: 'run' | 'agent' | 'model' | 'day';
  /** A day or a moment. */
  since?: string;
  csv?: boolean;
};

const usageWords = ({ by, since, csv }: UsageOptions): string[] => [
  ...flag('by', by),
  ...flag('since', since),
  ...on('csv', csv),
];

export const cli = {
  allow: (run: string, flag: '--for-run' | '--always', rule: string) =>
    command('approve', run, flag, ...(rule ? [rule] : [])),
  removeRule: (run: string, agent: string, rule: string) =>
    command('permission', 'remove', run, agent, rule),
  approve: (run: string, feedback?: string) =>
    feedback ? command('approve', run, '--feedback', feedback) : command('approve', run),
  reject: (run: string, feedback: string) => command('reject', run, '--feedback', feedback),
  answer: (run: string, request: string, ...words: string[]) =>
    command('answer', run, request, ...words),
  pause: (run: string) => command('pause', run),
  resume: (run: string) => command('resume', run),
  resumeWithin: (run: string, budget: Partial<Budget>) =>
    command('resume', run, ...limitWords(budget)),
  resumeApproving: (run: string, message?: string) =>
    message
      ? command('resume', run, '--approve', '--message', message)
      : command('resume', run, '--approve'),
  launch: (run: string) => command('run', run),
  startAll: () => command('run', '--all'),
  cancel: (run: string) => command('cancel', run),
  archive: (run: string) => command('archive', run),
  unarchive: (run: string) => command('archive', run, '--undo'),
  step: (run: string) => command('step', run),
  continue: (run: string) => command('continue', run),
  breakpoints: (run: string, nodes: string[]) => command('breakpoint', run, ...nodes),
  say: (run: string, text: string) => command('say', run, text),
  show: (run: string) => command('status', run),
  logs: (run: string) => command('logs', run),
  follow: (run: string) => command('logs', run, '--follow'),
  plan: (run: string) => command('plan', 'show', run),
  diff: (run: string) => command('diff', run),
  merge: (run: string, wanted: MergeOptions) =>
    command(
      'merge',
      run,
      ...flag('into', wanted.into),
      ...on('squash', wanted.method === 'squash'),
      ...on('rebase', wanted.method === 'rebase'),
      ...on('delete-branch', wanted.deletes),
    ),
  openPullRequest: (run: string, wanted: { base?: string; draft?: boolean }) =>
    command('pr', 'open', run, ...on('draft', wanted.draft), ...flag('base', wanted.base)),
  exportRecord: (run: string, file: string) => command('record', 'export', run, '-o', file),
  replay: (run: string) => command('replay', run),
  checkpoints: (run: string) => command('checkpoints', run),
  fork: (run: string, checkpoint: number) => command('fork', run, '--at', String(checkpoint)),
  compare: (a: string, b: string) => command('compare', a, b),
  usage: (wanted: UsageOptions = {}) => command('usage', ...usageWords(wanted)),
  start: (wanted: StartOptions) =>
    inside(wanted.directory, command('start', ...startWords(wanted))),
  review: (wanted: ReviewOptions) =>
    inside(wanted.directory, command('review', ...reviewWords(wanted))),
  doctor: (directory: string) => inside(directory, command('doctor')),
  init: () => command('init'),
  dashboard: () => command('dashboard'),
  showToken: () => command('token', 'show'),
};
