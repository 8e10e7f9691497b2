import { cn } from '@/lib/cn';
import { plural } from '@/lib/format';
import type { Standing } from '@/model/team/team-view';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentToken } from '@/ui/agent-token';
import { StatusDot } from '@/ui/status-dot';
import { statusTones } from '@/ui/tones';
import { STATE_TONES, STATE_WORDS } from './agent-look';

type AgentChipProps = {
  name: string;
  /** The name inside its team. */
  label: string;
  role: string;
  standing: Standing;
};

/** An agent in the graph of its team. */
export function AgentChip({ name, label, role, standing }: AgentChipProps) {
  const { state, turns } = standing;
  const tone = STATE_TONES[state];
  const words = [STATE_WORDS[state], turns > 0 ? plural(turns, 'turn') : ''];
  const title = [`${name}: ${role}`, ...words].filter((word) => word !== '').join(', ');
  return (
    <div
      role="img"
      aria-label={title}
      title={title}
      className={cn(
        'relative flex size-full items-center gap-1.5 rounded-md border bg-panel px-2 text-xs font-medium shadow-low',
        tone === null && turns === 0 && 'border-line border-dashed text-subtle',
        tone === null && turns > 0 && 'border-line-strong',
        tone && statusTones[tone].soft,
        tone && statusTones[tone].text,
        tone && (state === 'working' ? 'border-current' : 'border-current/35'),
      )}
    >
      {state === 'working' && (
        <span
          aria-hidden
          className="pointer-events-none absolute -inset-1 animate-pulse-soft rounded-lg border-2 border-running/40"
        />
      )}
      <span aria-hidden className="flex">
        <AgentAvatar agent={agentToken(name)} name={label} size="xs" />
      </span>
      <span className={cn('truncate', tone && 'text-fg')}>{label}</span>
      <span aria-hidden className="ml-auto flex items-center gap-1.5">
        {turns > 1 && <span className="tabular text-2xs">×{turns}</span>}
        {tone && <StatusDot status={tone} live={state === 'working'} />}
      </span>
    </div>
  );
}
