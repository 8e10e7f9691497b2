import { memo } from 'react';
import { cn } from '@/lib/cn';
import { formatClock, formatDateTime } from '@/lib/format';
import { noteLabel } from '@/model/event/answer-label';
import { nameOf } from '@/model/event/event';
import type { Level } from '@/model/event/level';
import { agentName, agentToken } from '@/ui/agent-token';
import { agentTones } from '@/ui/tones';
import type { LogEvent } from '@/wire/LogEvent';
import { LongCode } from '../stream/long-code';

type EventRowProps = { event: LogEvent; isOpen: boolean; onToggle: (seq: number) => void };

export const columns =
  'grid grid-cols-[2.75rem_5rem_minmax(0,1fr)] items-center gap-x-2 px-3 @2xl:grid-cols-[3.25rem_4rem_5.5rem_minmax(0,8rem)_minmax(0,1fr)]';

/** A narrow pane has room for what happened, and for who did it. */
export const wideOnly = 'hidden @2xl:block';

const levels: Record<Level, string> = {
  debug: 'bg-transparent',
  info: 'bg-line-strong',
  warning: 'bg-needs-you',
  error: 'bg-failed',
};

export const EventRow = memo(function EventRow({ event, isOpen, onToggle }: EventRowProps) {
  const level = event.level;
  return (
    <div className="border-b border-line" data-seq={event.seq}>
      <button
        type="button"
        data-fold
        aria-expanded={isOpen}
        onClick={() => onToggle(event.seq)}
        className={cn(
          columns,
          'relative h-7 w-full text-left text-2xs hover:bg-hover focus-visible:-outline-offset-2',
          isOpen && 'bg-hover',
        )}
      >
        <span
          title={level}
          className={cn('absolute inset-y-1 left-0.5 w-0.75 rounded-full', levels[level])}
        />
        <span className="tabular text-right font-mono text-subtle">{event.seq}</span>
        <time
          dateTime={event.at}
          title={formatDateTime(event.at)}
          className={cn('tabular font-mono text-subtle', wideOnly)}
        >
          {formatClock(event.at)}
        </time>
        <span className={cn('truncate', agentTones[agentToken(event.agent)].text)}>
          {agentName(event.agent)}
        </span>
        <span className={cn('truncate font-mono text-muted', wideOnly)}>{nameOf(event)}</span>
        <span
          className={cn(
            'truncate text-xs',
            level === 'error' && 'text-failed',
            level === 'warning' && 'text-needs-you',
          )}
        >
          <span className="sr-only">{level}: </span>
          {noteLabel(event, null)}
        </span>
      </button>
      {isOpen && (
        <div className="px-3 py-2">
          <LongCode
            code={JSON.stringify(event, null, 2)}
            language="json"
            title={`Event #${event.seq}`}
          />
        </div>
      )}
    </div>
  );
});
