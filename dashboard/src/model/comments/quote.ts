/** Text as Markdown quotes it, at most so many lines of it. */
export function quotedLines(text: string, most: number): string {
  const lines = text.replace(/\n+$/, '').split('\n');
  const kept = lines.slice(0, most).map((line) => `> ${line}`.trimEnd());
  if (lines.length > most) kept.push(`> … ${lines.length - most} more`);
  return kept.join('\n');
}
