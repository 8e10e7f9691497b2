import { cn } from '@/lib/cn';
import { useAgentMark } from '@/ui/agent-group';
import { agentName, agentTitle } from '@/ui/agent-token';
import { type AgentToken, agentTones } from '@/ui/tones';

type AgentAvatarProps = {
  agent: AgentToken;
  /** As the log has it: `reviewer (security)`; the token's own name if left out. */
  name?: string;
  size?: 'xs' | 'sm' | 'md' | 'lg';
  /** At work right now. */
  live?: boolean;
  /** Shows the name beside the chip: always, or where the container (`@container`) is at least 20rem wide. */
  withName?: boolean | 'wide';
  className?: string;
};

const sizes = {
  xs: 'size-4 rounded-sm text-2xs',
  sm: 'size-5 text-2xs',
  md: 'size-6 text-xs',
  lg: 'size-8 text-sm',
};

/** The letter and the colour of an agent; two letters where one is not enough (see `AgentGroup`). Its name and what it does are in the tooltip. */
export function AgentAvatar(props: AgentAvatarProps) {
  const { agent, size = 'md', live = false, withName = false, className } = props;
  const name = agentName(props.name ?? agent);
  const mark = useAgentMark(props.name ?? agent);
  const { text, soft, fill } = agentTones[agent];
  return (
    <span
      title={agentTitle(props.name ?? agent)}
      className={cn('inline-flex shrink-0 items-center gap-1.5', className)}
    >
      <span
        {...(withName === true ? { 'aria-hidden': true } : { role: 'img', 'aria-label': name })}
        className={cn(
          'relative inline-flex items-center justify-center rounded-md font-semibold select-none',
          sizes[size],
          mark.length > 1 && 'w-auto min-w-5 px-0.5 tracking-tight',
          soft,
          text,
        )}
      >
        {mark}
        {live && (
          <span
            aria-hidden
            className={cn(
              'absolute -right-0.5 -bottom-0.5 size-2 animate-pulse-soft rounded-full ring-2 ring-panel',
              fill,
            )}
          />
        )}
      </span>
      {withName === true && <span className="text-sm font-medium">{name}</span>}
      {withName === 'wide' && (
        <span aria-hidden className="hidden text-2xs text-muted @xs:inline">
          {name}
        </span>
      )}
    </span>
  );
}
