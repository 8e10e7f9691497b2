import { ArrowUpRight, FileDiff } from 'lucide-react';
import { Link } from 'react-router';
import { statusToken, statusWord } from '@/model/run/status-token';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { StatusBadge } from '@/ui/status-badge';
import { TimeAgo } from '@/ui/time-ago';
import type { Compared } from '@/wire/Compared';
import type { ComparedRun } from '@/wire/ComparedRun';

type RunHeadersProps = { compared: Compared };

/** Who stands left, and who right. */
export function RunHeaders({ compared: { a, b } }: RunHeadersProps) {
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <Head side="A" run={a} isForkOf={a.forked_from?.workflow_id === b.id ? 'B' : null} />
      <Head side="B" run={b} isForkOf={b.forked_from?.workflow_id === a.id ? 'A' : null} />
    </div>
  );
}

type HeadProps = { side: 'A' | 'B'; run: ComparedRun; isForkOf: 'A' | 'B' | null };

function Head({ side, run, isForkOf }: HeadProps) {
  return (
    <article className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-panel px-4 py-3 shadow-low">
      <div className="flex items-center gap-2">
        <Badge tone="accent" mono>
          {side}
        </Badge>
        <StatusBadge status={statusToken(run.status)}>
          {statusWord(run.status, run.merged)}
        </StatusBadge>
        {isForkOf && <Badge tone="outline">fork of {isForkOf}</Badge>}
        <span className="ml-auto shrink-0 text-xs text-muted">
          <TimeAgo at={run.created_at} />
        </span>
      </div>
      <h2 className="line-clamp-2 text-base font-semibold wrap-anywhere">{run.title}</h2>
      <div className="mt-auto flex flex-wrap items-center gap-2">
        {run.issue_id && <span className="font-mono text-xs text-muted">{run.issue_id}</span>}
        <span className="font-mono text-xs text-subtle">{run.short_id}</span>
        <span className="ml-auto flex gap-1.5">
          <Button asChild size="sm">
            <Link to={`/runs/${run.id}/diff`} aria-label={`Diff of run ${side}`}>
              <FileDiff aria-hidden />
              Diff
            </Link>
          </Button>
          <Button asChild size="sm">
            <Link to={`/runs/${run.id}`} aria-label={`Open run ${side}`}>
              <ArrowUpRight aria-hidden />
              Open
            </Link>
          </Button>
        </span>
      </div>
    </article>
  );
}
