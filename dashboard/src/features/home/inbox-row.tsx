import { ChevronDown } from 'lucide-react';
import { Link } from 'react-router';
import type { AnswerInput } from '@/api/answers';
import { cn } from '@/lib/cn';
import { shown } from '@/lib/visible';
import type { Action } from '@/model/inbox/actions';
import { afterName, isShownWhole } from '@/model/inbox/asked-call';
import type { InboxItem } from '@/model/inbox/inbox';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentToken } from '@/ui/agent-token';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { CodedText } from '@/ui/coded-text';
import { Deadline } from '@/ui/deadline';
import { IconButton } from '@/ui/icon-button';
import { TimeAgo } from '@/ui/time-ago';
import { statusTones } from '@/ui/tones';
import { InboxBody } from './inbox-body';
import { looks } from './item-style';

type InboxRowProps = {
  item: InboxItem;
  /** The keys mean this one. */
  isCurrent: boolean;
  isOpen: boolean;
  /** The action that waits for words, a number or a yes. */
  asking: Action | null;
  /** Why the last answer was refused. */
  refusal: string | null;
  isInScope: () => boolean;
  onPick: () => void;
  onAct: (action: Action, input?: AnswerInput) => void;
  onLeave: () => void;
};

export function InboxRow(props: InboxRowProps) {
  const { item, isCurrent, isOpen, refusal, onPick, onAct } = props;
  const { icon, tone } = looks[item.kind];
  const [first] = item.actions;
  const why = shown(item.why);
  // What would be allowed is never cut.
  const isWhole = isOpen || item.detail.type === 'call';
  return (
    <li className={cn('relative', isCurrent && 'bg-canvas/50')}>
      {isCurrent && (
        <span
          aria-hidden
          className={cn('absolute inset-y-0 left-0 w-0.75', statusTones[tone].fill)}
        />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a larger target for the button within. */}
      <div
        className="flex cursor-pointer items-start gap-3 px-4 py-2.5"
        onClick={(event) => {
          const isControl =
            event.target instanceof Element && event.target.closest('a, button') !== null;
          if (!isControl) onPick();
        }}
      >
        <span
          aria-hidden
          className={cn(
            'mt-0.5 flex size-8 shrink-0 items-center justify-center rounded-lg [&_svg]:size-4',
            statusTones[tone].soft,
            statusTones[tone].text,
          )}
        >
          {icon}
        </span>
        <div className="min-w-0 flex-1">
          <div className="flex min-w-0 items-baseline gap-x-2 max-md:flex-wrap">
            <span className={cn('shrink-0 text-xs font-semibold', statusTones[tone].text)}>
              {item.what}
            </span>
            {item.issue && (
              <span className="shrink-0 font-mono text-xs text-muted">{item.issue}</span>
            )}
            {item.since && (
              <TimeAgo at={item.since} className="ml-auto text-xs text-subtle md:hidden" />
            )}
            <Link
              to={`/runs/${item.run}`}
              data-item={item.id}
              aria-current={isCurrent || undefined}
              className="min-w-0 truncate text-base font-semibold underline-offset-3 hover:underline max-md:basis-full max-md:whitespace-normal"
            >
              {shown(item.title)}
            </Link>
          </div>
          <div className="flex min-w-0 items-center gap-x-2 max-md:flex-wrap">
            <div className="flex min-w-0 items-start gap-1.5">
              {item.agent !== 'system' && (
                <AgentAvatar agent={agentToken(item.agent)} name={item.agent} size="sm" withName />
              )}
              <p className={cn('min-w-0 text-muted', isWhole ? 'wrap-anywhere' : 'truncate')}>
                <CodedText>{item.agent === 'system' ? why : afterName(why)}</CodedText>
              </p>
            </div>
            {item.deadline && <Deadline {...item.deadline} />}
            {item.continues && <Badge>{item.continues}</Badge>}
          </div>
        </div>
        <div className="flex shrink-0 items-center gap-2">
          {item.since && (
            <TimeAgo
              at={item.since}
              className="tabular text-xs whitespace-nowrap text-subtle max-md:hidden"
            />
          )}
          {!isOpen && first && isShownWhole(item.detail) && (
            <Button size="sm" className="max-md:hidden" onClick={() => onAct(first)}>
              {first.label}
            </Button>
          )}
          <IconButton
            aria-label={isOpen ? `Collapse ${item.title}` : `Expand ${item.title}`}
            aria-expanded={isOpen}
            tooltip={false}
            size="sm"
            onClick={onPick}
            icon={<ChevronDown className={cn('transition-transform', isOpen && 'rotate-180')} />}
          />
        </div>
      </div>
      {refusal && (
        <p role="alert" className="px-4 pb-2 text-failed md:pl-15">
          Not done: <CodedText>{refusal}</CodedText>
        </p>
      )}
      {isOpen && <InboxBody {...props} />}
    </li>
  );
}
