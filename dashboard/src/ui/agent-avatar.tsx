import { cn } from '@/lib/cn';
import { agentName } from '@/ui/agent-token';
import { type AgentToken, agentTones } from '@/ui/tones';

type AgentAvatarProps = {
  agent: AgentToken;
  /** Its name; the token's own if left out. */
  name?: string;
  size?: 'xs' | 'sm' | 'md' | 'lg';
  /** At work right now. */
  live?: boolean;
  /** Shows the name beside the chip. */
  withName?: boolean;
  className?: string;
};

const sizes = {
  xs: 'size-4 rounded-sm text-2xs',
  sm: 'size-5 text-2xs',
  md: 'size-6 text-xs',
  lg: 'size-8 text-sm',
};

export function AgentAvatar(props: AgentAvatarProps) {
  const { agent, size = 'md', live = false, withName = false, className } = props;
  const name = props.name ?? agentName(agent);
  const { text, soft, fill } = agentTones[agent];
  return (
    <span className={cn('inline-flex shrink-0 items-center gap-1.5', className)}>
      <span
        {...(withName ? { 'aria-hidden': true } : { role: 'img', 'aria-label': name, title: name })}
        className={cn(
          'relative inline-flex items-center justify-center rounded-md font-semibold select-none',
          sizes[size],
          soft,
          text,
        )}
      >
        {name.charAt(0).toUpperCase()}
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
      {withName && <span className="text-sm font-medium">{name}</span>}
    </span>
  );
}
