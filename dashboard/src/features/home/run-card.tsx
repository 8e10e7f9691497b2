import { Link } from 'react-router';
import { cn } from '@/lib/cn';
import { shown } from '@/lib/visible';
import { toneOf } from '@/model/board/board';
import { isAtWork, whyItWaits } from '@/model/board/waiting';
import { statusWord } from '@/model/run/status-token';
import { agentName } from '@/ui/agent-token';
import { CodedText } from '@/ui/coded-text';
import { StatusDot } from '@/ui/status-dot';
import { TimeAgo } from '@/ui/time-ago';
import { statusTones } from '@/ui/tones';
import type { MergedShown } from '@/wire/MergedShown';
import type { RunSummary } from '@/wire/RunSummary';
import { AgentStack } from './agent-stack';
import { isSpendKnown, Spend } from './spend';
import { TaskProgress } from './task-progress';

type RunCardProps = { run: RunSummary };

export function RunCard({ run }: RunCardProps) {
  const tone = toneOf(run);
  const isLive = isAtWork(run);
  const why = whyItWaits(run);
  const hasEnded = tone === 'done' || tone === 'cancelled';
  return (
    <Link
      to={`/runs/${run.id}`}
      className={cn(
        '@container block rounded-md border bg-panel px-2.5 py-2 shadow-low transition-colors hover:border-line-strong hover:bg-hover/50 focus-visible:outline-offset-1',
        isLive ? 'border-running/35' : 'border-line',
      )}
    >
      <span className="flex items-center gap-1.5">
        <StatusDot status={tone} live={isLive} />
        <span className="min-w-0 truncate font-mono text-2xs text-muted">
          {run.issue_id ?? run.short_id}
        </span>
        <span className="sr-only">
          {statusWord(run.status, run.merged) ?? tone.replace('-', ' ')}
        </span>
        <TimeAgo
          at={(hasEnded ? run.completed_at : null) ?? run.created_at}
          className="tabular ml-auto shrink-0 text-2xs text-subtle"
        />
      </span>
      <span className="mt-1 line-clamp-2 text-sm leading-4.5 font-medium wrap-anywhere">
        {shown(run.title)}
      </span>
      {isLive && <Activity run={run} />}
      {why && (
        <span
          title={why}
          className={cn(
            'mt-1 line-clamp-3 text-xs leading-4 wrap-anywhere',
            statusTones[tone].text,
          )}
        >
          <CodedText>{why}</CodedText>
        </span>
      )}
      {run.task && (
        <TaskProgress
          task={run.task}
          round={run.review_round}
          isDone={run.status === 'completed'}
          isLive={isLive}
        />
      )}
      {run.status === 'completed' && run.merged && <Merge merged={run.merged} />}
      <Facts run={run} live={isLive ? (run.activity?.agent ?? null) : null} />
    </Link>
  );
}

/** Where it was merged, or that it no longer is. */
function Merge({ merged: { into, undone } }: { merged: MergedShown }) {
  const line = 'mt-1 block truncate text-xs leading-4';
  if (!undone) {
    return (
      <span className={cn(line, 'text-done')} title={into}>
        Merged into {shown(into)}
      </span>
    );
  }
  // The word of the status says the same to a screen reader.
  return (
    <span aria-hidden className={cn(line, 'text-needs-you')} title={into}>
      Merge undone
    </span>
  );
}

/** One line of a fixed height. */
function Activity({ run }: { run: RunSummary }) {
  const said = run.activity;
  return (
    <span className="mt-1 block h-4 truncate text-xs leading-4 text-muted" title={said?.text}>
      {said ? (
        <>
          {said.agent !== 'system' && (
            <span className="font-medium text-fg">{agentName(said.agent)} </span>
          )}
          {said.text}
        </>
      ) : (
        'Starting'
      )}
    </span>
  );
}

/** Who has worked on it, and what it cost; nothing while there is neither. */
function Facts({ run, live }: { run: RunSummary; live: string | null }) {
  const hasFacts = run.agents.length > 0 || isSpendKnown(run.usage, run.budget);
  if (!hasFacts || run.status === 'pending') return null;
  return (
    <>
      <span className="mt-1.5 flex min-h-5 flex-wrap items-center justify-between gap-x-2 gap-y-0.5">
        <AgentStack agents={run.agents} live={live} />
        <Spend usage={run.usage} budget={run.budget} meter="none" />
      </span>
      <Spend usage={run.usage} budget={run.budget} meter="only" />
    </>
  );
}
