// What a question's `context` holds, by what asked it. Anything unknown is shown as no detail.

import type { Budget } from '@/wire/Budget';
import type { LimitName } from '@/wire/LimitName';
import type { Pending } from '@/wire/Pending';
import type { RunSummary } from '@/wire/RunSummary';
import type { Spent } from '@/wire/Spent';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { type AnswerField, elicitationIn } from './elicitation';
import { isObject, type JsonObject, numberIn, stringIn, stringsIn } from './json';

export type Detail =
  | { type: 'plan'; goal: string | null; tasks: number; problems: string[] }
  | {
      type: 'call';
      tool: string;
      command: string | null;
      rest: string | null;
      /** The narrowest rule that fits it. */
      rule: string | null;
      /** The profile of the run can keep it for later runs. */
      canAllowAlways: boolean;
    }
  | { type: 'options'; options: string[] }
  | {
      type: 'elicitation';
      /** The MCP server that asks. */
      server: string;
      message: string;
      /** `null`: a form cannot show them. Then `about` says what is asked, and the answer is given in words. */
      fields: AnswerField[] | null;
      about: string[];
    }
  | { type: 'findings'; open: string[]; canAccept: boolean }
  | {
      type: 'output';
      command: string | null;
      output: string;
      canAccept: boolean;
      /** Other checks would answer it. */
      aboutChecks: boolean;
    }
  | { type: 'conflict'; files: string[]; text: string }
  | {
      type: 'limit';
      which: LimitName;
      limit: number | null;
      /** What the next call would bring it to. */
      wouldBe: number | null;
      spent: Spent | null;
      /** Not the run's own limit: raising the run's does not help. */
      isElsewhere: boolean;
      /** The model has no price, so a limit in money cannot be checked: raising it does not help. */
      isUnpriced: boolean;
    }
  | {
      /** An agent of a team asks with a tool. */
      type: 'asked';
      tool: 'approval' | 'feedback' | 'escalation';
      questions: string[];
      /** What there is to know, as text or JSON. */
      about: string | null;
    }
  /** The votes of a team do not decide. */
  | { type: 'tie' }
  | { type: 'resets'; provider: string; at: string }
  | { type: 'none' };

type BudgetedRun = Pick<RunSummary, 'usage' | 'budget'>;

export function detailOf(one: Pending, run: BudgetedRun | null): Detail {
  const context = isObject(one.context) ? one.context : {};
  const asked = ofTool(context);
  if (asked) return asked;
  switch (one.kind) {
    case 'approval':
      return ofApproval(one.can_allow_always, context);
    case 'question': {
      const asked = elicitationIn(context);
      if (asked) return { type: 'elicitation', ...asked, about: linesAfterFirst(one.prompt) };
      return { type: 'options', options: stringsIn(context.options) };
    }
    case 'rounds':
    case 'escalation':
      return ofRounds(one, context);
    case 'budget':
      return ofLimit(context, run);
    case 'quota': {
      const used = isObject(context.used_up) ? context.used_up : {};
      const at = stringIn(used.resets_at);
      return at
        ? { type: 'resets', provider: stringIn(used.provider) ?? 'the provider', at }
        : { type: 'none' };
    }
    default:
      return { type: 'none' };
  }
}

const ASKING_TOOLS = ['approval', 'feedback', 'escalation'] as const;

function ofTool(context: JsonObject): Detail | null {
  const tool = ASKING_TOOLS.find((name) => name === context.hitl);
  if (tool === undefined) return null;
  const { context: about = null, questions } = context;
  const text = typeof about === 'string' ? about : JSON.stringify(about, null, 2);
  return {
    type: 'asked',
    tool,
    questions: typeof questions === 'string' ? [questions] : stringsIn(questions),
    about: about === null || text === '' ? null : text,
  };
}

const linesAfterFirst = (prompt: string) =>
  prompt
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^- /, ''));

function ofApproval(canAllowAlways: boolean, context: JsonObject): Detail {
  if (isObject(context.permission)) {
    const { command, ...rest } = isObject(context.permission.args) ? context.permission.args : {};
    const line = stringIn(command);
    const others = line === null && command !== undefined ? { command, ...rest } : rest;
    return {
      type: 'call',
      tool: stringIn(context.permission.tool) ?? 'a tool',
      command: line,
      rest: Object.keys(others).length > 0 ? JSON.stringify(others, null, 2) : null,
      rule: stringIn(context.permission.rule),
      canAllowAlways,
    };
  }
  if (context.asks === 'tie') return { type: 'tie' };
  if (stringIn(context.plan_path) === null) return { type: 'none' };
  return {
    type: 'plan',
    goal: stringIn(context.goal),
    tasks: typeof context.tasks === 'number' ? context.tasks : 0,
    problems: stringsIn(context.problems),
  };
}

function ofRounds(one: Pending, context: JsonObject): Detail {
  const { can_accept: canAccept, about_checks: aboutChecks } = one;
  if ('conflict' in context)
    return {
      type: 'conflict',
      files: stringsIn(context.files),
      text: stringIn(context.conflict) ?? '',
    };
  const output = stringIn(context.output);
  if (output !== null)
    return { type: 'output', command: stringIn(context.command), output, canAccept, aboutChecks };
  const open = [...stringsIn(context.open), ...stringsIn(context.failed)];
  return canAccept ? { type: 'findings', open, canAccept } : { type: 'none' };
}

/** The names that the server gives to limits in the `limit` of a question. */
const LIMIT_NAMES: [string, LimitName][] = [
  ['usd', 'usd'],
  ['tokens', 'tokens'],
  ['calls', 'calls'],
  ['time', 'wall_seconds'],
];

type ReachedLimit = {
  which: LimitName;
  limit: number | null;
  wouldBe: number | null;
  isUnpriced: boolean;
};

const UNPRICED_LIMIT: ReachedLimit = {
  which: 'usd',
  limit: null,
  wouldBe: null,
  isUnpriced: true,
};

function ofLimit(context: JsonObject, run: BudgetedRun | null): Detail {
  const budget: Partial<Budget> = run?.budget ?? {};
  const found = reachedIn(context.limit);
  const set = LIMIT_NAMES.map(([, name]) => name).find((name) => budget[name] != null) ?? 'usd';
  const reached = found ?? { which: set, limit: null, wouldBe: null, isUnpriced: false };
  return {
    type: 'limit',
    ...reached,
    limit: reached.limit ?? budget[reached.which] ?? null,
    spent: run?.usage ?? null,
    isElsewhere: context.whose !== undefined && context.whose !== 'run',
  };
}

function reachedIn(limit: JsonValue | undefined): ReachedLimit | null {
  if (!isObject(limit)) return null;
  if ('unpriced' in limit) return UNPRICED_LIMIT;
  for (const [name, which] of LIMIT_NAMES) {
    const reached = limit[name];
    if (isObject(reached))
      return {
        which,
        limit: numberIn(reached.limit),
        wouldBe: numberIn(reached.would_be),
        isUnpriced: false,
      };
  }
  return null;
}
