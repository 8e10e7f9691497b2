const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `2026-11-05` as `5 Nov`, or with its year. Without `Date`: it would be another day west of Greenwich. */
export function formatDay(day: string, withYear = false): string {
  const [year = '', month = '', date = ''] = day.split('-');
  const text = `${Number(date)} ${months[Number(month) - 1] ?? ''}`;
  return withYear ? `${text} ${year}` : text;
}
