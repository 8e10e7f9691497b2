import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import type { InboxItem } from '@/model/inbox/inbox';
import type { RunState } from '@/model/run/run-state';
import { Badge } from '@/ui/badge';
import { LiveRegion } from '@/ui/live-region';
import { PageHeader } from '@/ui/page-header';
import { StatusBadge } from '@/ui/status-badge';
import type { RunDetail } from '@/wire/RunDetail';
import { Controls } from './controls';
import type { RunAction } from './use-run-actions';

type RunHeaderProps = {
  detail: RunDetail;
  runState: RunState;
  actions: RunAction[];
  asked: readonly InboxItem[];
  isNarrow: boolean;
};

export function RunHeader({ detail, runState, actions, asked, isNarrow }: RunHeaderProps) {
  return (
    <>
      <PageHeader
        title={detail.title}
        leading={
          <Link
            to="/"
            aria-label="Back to all runs"
            className="-ml-1.5 flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-fg"
          >
            <ArrowLeft aria-hidden className="size-4" />
          </Link>
        }
        meta={
          !isNarrow && (
            <>
              {detail.issue_id && (
                <Badge mono tone="outline">
                  {detail.issue_id}
                </Badge>
              )}
              <StatusBadge status={runState.tone}>{runState.word}</StatusBadge>
              {detail.is_archived && <Badge>Archived</Badge>}
            </>
          )
        }
        actions={
          <Controls shortId={detail.short_id} actions={actions} asked={asked} isNarrow={isNarrow} />
        }
      />
      <LiveRegion message={`${runState.word}${where(runState)}`} />
    </>
  );
}

function where({ nodes }: RunState): string {
  return nodes.length > 0 ? `, at ${nodes.join(', ')}` : '';
}
