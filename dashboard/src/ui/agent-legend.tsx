import { cn } from '@/lib/cn';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentName, agentTitle, agentToken } from '@/ui/agent-token';

type AgentLegendProps = { label: string; agents: readonly string[]; className?: string };

/** Which letter and colour is which agent. */
export function AgentLegend({ label, agents, className }: AgentLegendProps) {
  const names = [...new Set(agents)];
  if (names.length === 0) return null;
  return (
    <ul aria-label={label} className={cn('gap-x-3 gap-y-1.5', className)}>
      {names.map((name) => (
        <li
          key={name}
          title={agentTitle(name)}
          className="flex min-w-0 items-center gap-1.5 text-xs text-muted"
        >
          <span aria-hidden className="flex">
            <AgentAvatar agent={agentToken(name)} name={name} size="xs" />
          </span>
          <span className="truncate">{agentName(name)}</span>
        </li>
      ))}
    </ul>
  );
}
