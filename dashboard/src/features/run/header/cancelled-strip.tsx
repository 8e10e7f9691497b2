import { useDiff } from '@/api/runs';
import { plural } from '@/lib/format';
import type { RunDetail } from '@/wire/RunDetail';
import { WhyLine } from './why-line';

/** Where the work of a cancelled run is, if some of it is in no commit. */
export function CancelledStrip({ detail }: { detail: RunDetail }) {
  const isCancelled = detail.status === 'cancelled' && detail.started_at !== null;
  const { data: changes } = useDiff(detail.id, { stat: true }, isCancelled);
  if (!isCancelled || !changes || changes.uncommitted === 0) return null;
  const place = detail.in_place ? 'your checkout' : 'its worktree';
  const files = plural(changes.uncommitted, 'changed file');
  const verb = changes.uncommitted === 1 ? 'is' : 'are';
  return (
    <section
      aria-label="Uncommitted work"
      className="flex shrink-0 border-b border-line bg-sunken px-3 py-2 md:px-5"
    >
      <WhyLine
        tone="cancelled"
        title="Cancelled."
        message={`${files} ${verb} not committed, in ${place} \`${changes.worktree}\`. It stays there until you remove it`}
      />
    </section>
  );
}
