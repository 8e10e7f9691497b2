// The time that is looked at: a preset or two days, as the address of the page says it.

import { dayOf, type Span } from './usage-series';

export const presets = ['24h', '7d', '30d', '90d', 'all'] as const;
export type Preset = (typeof presets)[number];

export type Range =
  | { preset: Preset }
  /** Both days are included; an empty one is open. */
  | { preset: 'custom'; from: string; to: string };

const DAY = 86_400_000;
const HOUR = 3_600_000;
const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

type Params = { get: (name: string) => string | null };

export function rangeOf(params: Params): Range {
  const from = params.get('from');
  const to = params.get('to');
  if (params.get('range') === 'custom') {
    return { preset: 'custom', from: isDay(from) ? from : '', to: isDay(to) ? to : '' };
  }
  const preset = presets.find((one) => one === params.get('range'));
  return { preset: preset ?? '30d' };
}

/** What to ask the server, and which days to show. Days are whole, so that a bar never shows a part of one. */
export function spanOf(
  range: Range,
  now: number,
): { filter: { since?: string; until?: string }; span: Span } {
  const today = dayOf(now);
  if (range.preset === 'custom') {
    const last = range.to || today;
    return {
      filter: {
        ...(range.from ? { since: `${range.from}T00:00:00Z` } : {}),
        ...(range.to ? { until: `${dayOf(Date.parse(range.to) + DAY)}T00:00:00Z` } : {}),
      },
      span: { first: range.from || undefined, last },
    };
  }
  if (range.preset === 'all') return { filter: {}, span: { last: today } };
  if (range.preset === '24h') {
    // To the hour, so that the same question is not asked anew each minute.
    const since = Math.floor((now - DAY) / HOUR) * HOUR;
    const at = new Date(since).toISOString().replace('.000Z', 'Z');
    return { filter: { since: at }, span: { first: dayOf(since), last: today } };
  }
  const count = Number.parseInt(range.preset, 10);
  const first = dayOf(now - (count - 1) * DAY);
  return { filter: { since: `${first}T00:00:00Z` }, span: { first, last: today } };
}
