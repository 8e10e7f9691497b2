import { ChevronDown, TriangleAlert } from 'lucide-react';
import { cn } from '@/lib/cn';
import { formatMoney, plural } from '@/lib/format';
import { useNow } from '@/lib/use-now';
import { lengthOf } from '@/model/event/waits';
import type { Visit } from '@/model/stream/transcript';
import type { VisitSnapshot } from '@/model/stream/visit-snapshot';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentToken } from '@/ui/agent-token';
import { Badge } from '@/ui/badge';
import { Duration } from '@/ui/duration';
import { WorkTime } from '../work-time';

type VisitRowProps = {
  visit: Visit;
  /** The same at the moment that is shown. */
  then: VisitSnapshot;
  isFolded: boolean;
  /** At work right now. */
  isLive: boolean;
  onToggle: () => void;
};

/** The head of a visit: which stage, for the how-manieth time, who, how long, how much. */
export function VisitRow({ visit, then, isFolded, isLive, onToggle }: VisitRowProps) {
  const { task } = visit;
  const { spend, errors, agents } = then;
  return (
    <div className="pt-3 pb-1">
      <button
        type="button"
        data-fold
        aria-expanded={!isFolded}
        onClick={onToggle}
        className={cn(
          'flex min-h-9 w-full min-w-0 items-center gap-2 rounded-md border border-line bg-panel px-2.5 text-left shadow-low hover:bg-hover focus-visible:-outline-offset-2',
          isLive && 'border-running/50',
        )}
      >
        <ChevronDown
          aria-hidden
          className={cn(
            'size-3.5 shrink-0 text-subtle transition-transform',
            isFolded && '-rotate-90',
          )}
        />
        <span className={cn('shrink-0 font-semibold', isLive && 'text-running')}>{visit.node}</span>
        {visit.visit > 1 && (
          <Badge mono title={`Visit ${visit.visit}`}>
            ×{visit.visit}
          </Badge>
        )}
        {task && (
          <span className="min-w-0 truncate text-xs text-muted" title={task.title}>
            task {task.index + 1}/{task.total} {task.title}
          </span>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-2 text-2xs text-muted">
          {errors > 0 && (
            <Badge tone="failed" icon={<TriangleAlert />} title={plural(errors, 'failed call')}>
              {errors}
            </Badge>
          )}
          {agents.slice(0, 4).map((agent) => (
            <AgentAvatar
              key={agent}
              agent={agentToken(agent)}
              name={agent}
              size="sm"
              live={isLive}
            />
          ))}
          {spend.usd > 0 && <span className="tabular font-mono">{formatMoney(spend.usd)}</span>}
          <Time then={then} isLive={isLive} />
        </span>
      </button>
    </div>
  );
}

/** How long it took; while it lasts, it counts: the work, or the wait for a person. */
function Time({ then, isLive }: { then: VisitSnapshot; isLive: boolean }) {
  const wait = then.waits.at(-1);
  if (then.workMs !== null)
    return <WorkTime work={then.workMs} waited={lengthOf(then.waits, then.end ?? 0)} />;
  if (wait?.to === null) return <Waiting since={wait.from} />;
  return isLive && <Duration since={then.start + lengthOf(then.waits, 0)} />;
}

function Waiting({ since }: { since: number }) {
  const now = useNow(1_000);
  return <WorkTime work={0} waited={Math.max(1, Math.floor((now - since) / 1_000) * 1_000)} />;
}
