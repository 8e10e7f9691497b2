import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { shown } from '@/lib/visible';
import { statusToken, statusWord } from '@/model/run/status-token';
import { Button } from '@/ui/button';
import { PageHeader } from '@/ui/page-header';
import { StatusBadge } from '@/ui/status-badge';
import type { RunDetail } from '@/wire/RunDetail';
import { useMergedByHand } from './delivery/use-merged-by-hand';

type RunPageHeaderProps = {
  id: string;
  /** What of the run is shown: its plan, its changes. */
  what: string;
  run: RunDetail | undefined;
  actions?: ReactNode;
};

export function RunPageHeader({ id, what, run, actions }: RunPageHeaderProps) {
  return (
    <PageHeader
      title={run ? `${what}: ${shown(run.title)}` : what}
      leading={
        <Button asChild variant="ghost" size="sm" className="-ml-1.5 w-7 px-0">
          <Link to={`/runs/${id}`} aria-label="Back to run" title="Back to run">
            <ArrowLeft aria-hidden />
          </Link>
        </Button>
      }
      meta={run && <RunStatus run={run} />}
      actions={actions}
    />
  );
}

/** The word that the page of the run has. */
function RunStatus({ run }: { run: RunDetail }) {
  const { into } = useMergedByHand(run);
  const merged = into === null ? run.outcome?.merged : { undone: null };
  return (
    <StatusBadge status={statusToken(run.status)} className="max-xl:hidden">
      {statusWord(run.status, merged)}
    </StatusBadge>
  );
}
