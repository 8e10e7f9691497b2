import { formatDuration } from '@/lib/format';
import { shown } from '@/lib/visible';
import type { ChecksFact } from '@/model/run/facts';
import { Badge } from '@/ui/badge';
import { TimeAgo } from '@/ui/time-ago';
import { SeqLink } from '../seq-link';
import { CheckRow } from './check-row';

type CheckRunProps = { run: string; fact: ChecksFact; isLatest: boolean };

/** All checks after one piece of work. */
export function CheckRun({ run, fact, isLatest }: CheckRunProps) {
  const { task, checks, at, seq } = fact;
  const took = checks.reduce((sum, check) => sum + check.duration_ms, 0);
  return (
    <section className="overflow-hidden rounded-lg border border-line bg-panel shadow-low">
      <header className="flex flex-wrap items-center gap-x-2 border-b border-line px-3 py-2 text-sm">
        <h2 className="min-w-0 truncate font-medium">
          Task {task.index + 1}: {shown(task.title)}
        </h2>
        {isLatest && <Badge tone="accent">latest</Badge>}
        <span className="ml-auto flex items-center gap-2 text-xs text-muted">
          {formatDuration(took)}
          <TimeAgo at={at} />
          <SeqLink run={run} seq={seq} className="font-mono text-accent-text hover:underline">
            #{seq}
          </SeqLink>
        </span>
      </header>
      <ul>
        {checks.map((check) => (
          <CheckRow key={check.name} check={check} />
        ))}
      </ul>
    </section>
  );
}
