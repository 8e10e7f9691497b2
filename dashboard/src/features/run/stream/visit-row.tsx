import { ChevronDown, TriangleAlert } from 'lucide-react';
import { cn } from '@/lib/cn';
import { formatMoney, plural } from '@/lib/format';
import type { Visit } from '@/model/story';
import { AgentAvatar } from '@/ui/agent-avatar';
import { Badge } from '@/ui/badge';
import { Duration } from '@/ui/duration';
import { agentToken } from '../agent';

type VisitRowProps = {
  visit: Visit;
  isFolded: boolean;
  /** At work right now. */
  isLive: boolean;
  onToggle: () => void;
};

/** The head of a visit: which stage, for the how-manieth time, who, how long, how much. */
export function VisitRow({ visit, isFolded, isLive, onToggle }: VisitRowProps) {
  const { spend, errors, task } = visit;
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
          <Badge mono title={`The ${visit.visit}. visit`}>
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
          {visit.agents.slice(0, 4).map((agent) => (
            <AgentAvatar
              key={agent}
              agent={agentToken(agent)}
              name={agent}
              size="sm"
              live={isLive}
            />
          ))}
          {spend.usd > 0 && <span className="tabular font-mono">{formatMoney(spend.usd)}</span>}
          {visit.durationMs !== null ? (
            <Duration ms={visit.durationMs} />
          ) : (
            isLive && <Duration since={visit.startedAt} />
          )}
        </span>
      </button>
    </div>
  );
}
