// Numbers and times as people read them. Pure; `now` comes from the caller.

export type Moment = string | number | Date;

/** At most so many decimals, and no zeros at their end. */
const places = (value: number, digits: number) => String(Number(value.toFixed(digits)));

/** `950`, `12.3k`, `4.1M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 999_950) return `${places(tokens / 1_000, tokens < 99_950 ? 1 : 0)}k`;
  return `${places(tokens / 1_000_000, tokens < 99_950_000 ? 1 : 0)}M`;
}

/** `$0.0123` below a dollar, `$12.30` from there on; a missing price is said, never guessed as 0. */
export function formatMoney(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return 'unknown price';
  if (usd === 0) return '$0.00';
  const size = Math.abs(usd);
  const sign = usd < 0 ? '-' : '';
  if (size < 0.0001) return `${sign}<$0.0001`;
  if (size < 0.99995) return `${sign}$${size.toFixed(4)}`;
  const [whole = '0', cents = '00'] = size.toFixed(2).split('.');
  return `${sign}$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${cents}`;
}

/** `340 ms`, `4.2 s`, `3m 12s`, `2h 05m`, `3d 4h`. */
export function formatDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 999.5) return `${Math.round(span)} ms`;
  if (span < 59_950) return `${(span / 1_000).toFixed(1)} s`;
  const seconds = Math.round(span / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
  return `${Math.floor(minutes / 1_440)}d ${Math.floor((minutes % 1_440) / 60)}h`;
}

/** `512 B`, `1.2 kB`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : places(value, value < 100 ? 1 : 0)} ${units[unit]}`;
}

/** `now`, `12s ago`, `5m ago`, `in 2h`, `3d ago`; after four weeks the date. */
export function formatRelative(at: Moment, now: number): string {
  const moment = new Date(at).getTime();
  if (Number.isNaN(moment)) return 'unknown time';
  const seconds = Math.round(Math.abs(now - moment) / 1_000);
  if (seconds < 5) return 'now';
  if (seconds >= 28 * 86_400) return formatDate(at);
  const text = shortSpan(seconds);
  return moment > now ? `in ${text}` : `${text} ago`;
}

function shortSpan(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

// Made once: a list of thousands of rows asks for every one of them.
const months = new Intl.DateTimeFormat('en', { month: 'short' });
const numbers = new Intl.NumberFormat('en');

/** `14 Nov 2026`. */
export function formatDate(at: Moment): string {
  const date = new Date(at);
  const month = months.format(date);
  return `${date.getDate()} ${month} ${date.getFullYear()}`;
}

/** `14:03:09`. */
export function formatClock(at: Moment): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(':');
}

/** The whole local time, for titles: `14 Nov 2026, 14:03:09`. */
export function formatDateTime(at: Moment): string {
  return `${formatDate(at)}, ${formatClock(at)}`;
}

/** A clause of the server as a sentence of its own: `nothing was lost` gives `Nothing was lost.` */
export function sentence(clause: string): string {
  const text = clause.charAt(0).toUpperCase() + clause.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `1 file`, `2 files`; a third word for irregular ones. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${numbers.format(count)} ${count === 1 ? one : many}`;
}

/** `0.421` is `42%`. */
export function formatPercent(ratio: number): string {
  return `${Math.round(ratio * 100)}%`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
