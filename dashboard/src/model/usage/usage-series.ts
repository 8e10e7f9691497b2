// What was spent, day by day, ready to be drawn. Pure; days are UTC, as the server counts them.

import type { DayUsage } from '@/wire/DayUsage';
import type { Outcomes } from '@/wire/Outcomes';
import type { Spent } from '@/wire/Spent';
import type { Usage } from '@/wire/Usage';

export const measures = ['cost', 'tokens', 'runs'] as const;
export type Measure = (typeof measures)[number];
export const groups = ['model', 'agent', 'profile'] as const;
export type Group = (typeof groups)[number];

/** What the small ones are called together. No name from the server is like it. */
export const OTHER = '\u0000other';

export type Series = {
  name: string;
  /** One per day; `null` where something was spent at an unknown price. */
  values: (number | null)[];
  total: number | null;
};

export type ChartData = { days: string[]; series: Series[] };

/** What the calls with a known price cost; `null` when there are calls, and none of them has one. */
export const knownCost = (spent: Spent): number | null =>
  spent.calls > 0 && spent.unpriced_calls >= spent.calls ? null : (spent.cost_usd ?? 0);

const plus = (a: Spent, b: Spent): Spent => ({
  tokens: a.tokens + b.tokens,
  cost_usd: (a.cost_usd ?? 0) + (b.cost_usd ?? 0),
  calls: a.calls + b.calls,
  unpriced_calls: a.unpriced_calls + b.unpriced_calls,
  estimated_calls: a.estimated_calls + b.estimated_calls,
});

const nothing: Spent = { tokens: 0, cost_usd: 0, calls: 0, unpriced_calls: 0, estimated_calls: 0 };

const DAY = 86_400_000;
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Every day from the first to the last, both included; none when they are the wrong way round. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  const end = Date.parse(`${last}T00:00:00Z`);
  for (let at = Date.parse(`${first}T00:00:00Z`); at <= end; at += DAY) days.push(dayOf(at));
  return days;
}

export type Span = {
  /** The first day to show; the first one with a run when absent. */
  first?: string | undefined;
  last: string;
};

/** The days of the span, with those that have no run. */
export function daysOf(daily: readonly DayUsage[], span: Span): string[] {
  const known = daily.map(({ day }) => day);
  const first = [span.first, known[0]].filter((day) => day !== undefined).sort()[0] ?? span.last;
  const last = [span.last, known.at(-1) ?? span.last].sort()[1] ?? span.last;
  return daysBetween(first, last);
}

const partsOf = (group: Group, of: DayUsage | Usage) =>
  group === 'model' ? of.models : group === 'agent' ? of.agents : of.profiles;

const measured = (spent: Spent, measure: Measure): number | null =>
  measure === 'cost' ? knownCost(spent) : spent.tokens;

export type Share = { name: string; spent: Spent };

/** Who spent what over the whole time, the most first. */
export function sharesOf(usage: Usage, group: Group, measure: Measure): Share[] {
  const rank = (spent: Spent) => measured(spent, measure === 'runs' ? 'cost' : measure) ?? 0;
  return Object.entries(partsOf(group, usage))
    .map(([name, spent]) => ({ name, spent }))
    .sort(
      (a, b) =>
        rank(b.spent) - rank(a.spent) ||
        b.spent.tokens - a.spent.tokens ||
        a.name.localeCompare(b.name),
    );
}

/** More colours than these cannot be told apart. */
export const mostShown = 6;

/** The series of a chart: the `most` that spent most, and the others as one. */
export function seriesOf(
  usage: Usage,
  span: Span,
  { group, measure, most = mostShown }: { group: Group; measure: Measure; most?: number },
): ChartData {
  const days = daysOf(usage.daily, span);
  const byDay = new Map(usage.daily.map((day) => [day.day, day]));
  if (measure === 'runs') return { days, series: outcomeSeries(days, byDay) };
  const names = sharesOf(usage, group, measure).map(({ name }) => name);
  // One alone is not "other": it is shown by its name.
  const shown = names.length > most + 1 ? names.slice(0, most) : names;
  const rest = names.slice(shown.length);
  const sum = (day: DayUsage | undefined, members: readonly string[]) =>
    members.reduce(
      (all, name) => plus(all, (day && partsOf(group, day)[name]) ?? nothing),
      nothing,
    );
  const series = (name: string, members: readonly string[]): Series => {
    const spent = days.map((day) => sum(byDay.get(day), members));
    return {
      name,
      values: spent.map((one) => measured(one, measure)),
      total: measured(spent.reduce(plus, nothing), measure),
    };
  };
  const all = shown.map((name) => series(name, [name]));
  return { days, series: rest.length > 0 ? [...all, series(OTHER, rest)] : all };
}

export const outcomeNames = ['completed', 'failed', 'cancelled', 'open'] as const;

function outcomeSeries(days: string[], byDay: ReadonlyMap<string, DayUsage>): Series[] {
  return outcomeNames.map((name) => {
    const values = days.map((day) => byDay.get(day)?.outcomes[name] ?? 0);
    return { name, values, total: values.reduce((all, value) => all + value, 0) };
  });
}

/** Of the runs that came to an end by themselves, how many did it; `null` when none has. */
export function successRate({ completed, failed }: Outcomes): number | null {
  const ended = completed + failed;
  return ended === 0 ? null : completed / ended;
}

/** The rate of each day; `null` on days on which nothing ended. */
export function successByDay(
  usage: Usage,
  span: Span,
): { days: string[]; rates: (number | null)[] } {
  const days = daysOf(usage.daily, span);
  const byDay = new Map(usage.daily.map((day) => [day.day, day.outcomes]));
  const rates = days.map((day) => {
    const outcomes = byDay.get(day);
    return outcomes ? successRate(outcomes) : null;
  });
  return { days, rates };
}

export const runsIn = (outcomes: Outcomes): number =>
  outcomeNames.reduce((all, name) => all + outcomes[name], 0);

export const colours = 8;

/**
 * A colour (from 0) for each name: the same name keeps its colour when others come and go, as far as there are enough.
 * Those that are `shown` side by side choose first, so that no two of them are alike.
 */
export function coloursOf(names: readonly string[], shown: readonly string[] = []) {
  const taken = new Map<string, number>();
  const first = [...shown].filter((name) => name !== OTHER).sort();
  const rest = [...names].filter((name) => name !== OTHER && !shown.includes(name)).sort();
  for (const name of [...first, ...rest]) {
    const used = new Set(taken.values());
    let colour = hash(name) % colours;
    for (let tries = 0; used.has(colour) && tries < colours; tries += 1) {
      colour = (colour + 1) % colours;
    }
    taken.set(name, colour);
  }
  return taken;
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (const sign of text) value = Math.imul(value ^ (sign.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return value;
}
