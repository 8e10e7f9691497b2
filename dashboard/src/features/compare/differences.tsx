import { Badge } from '@/ui/badge';
import type { Compared } from '@/wire/Compared';

type DifferencesProps = { compared: Compared };

/** The parts that the server compares: its name, the words, and where it is on the page. */
const parts: [string, string, string][] = [
  ['status', 'status', 'compare-outcome'],
  ['plan', 'plan', 'compare-plan'],
  ['checks', 'checks', 'compare-outcome'],
  ['files', 'files', 'compare-files'],
  ['usage', 'cost and tokens', 'compare-numbers'],
  ['visits', 'stages', 'compare-stages'],
];

/** What differs, in one line; each word leads to its part. */
export function Differences({ compared: { a, b, different } }: DifferencesProps) {
  if (a.id === b.id) {
    return (
      <p className="text-sm text-muted">Both sides show the same run. Choose a different one.</p>
    );
  }
  const differs = parts.filter(([name]) => different.includes(name));
  const same = parts.filter(([name]) => !different.includes(name));
  return (
    <p className="flex flex-wrap items-center gap-1.5 text-sm text-muted">
      {differs.length === 0 ? 'No differences' : 'Different:'}
      {differs.map(([name, words, id]) => (
        <a key={name} href={`#${id}`} className="rounded-sm hover:opacity-80">
          <Badge tone="needs-you">{words}</Badge>
        </a>
      ))}
      {same.length > 0 && <span className="ml-2">Same:</span>}
      {same.map(([name, words]) => (
        <Badge key={name}>{words}</Badge>
      ))}
    </p>
  );
}
