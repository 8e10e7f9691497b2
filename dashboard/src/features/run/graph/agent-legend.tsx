import { AgentAvatar } from '@/ui/agent-avatar';
import { agentToken } from '@/ui/agent-token';
import { agentLabel } from './agent-label';

type AgentLegendProps = { agents: ReadonlyMap<string, string> };

/** Which letter and colour in the pipeline is which agent. */
export function AgentLegend({ agents }: AgentLegendProps) {
  const names = [...new Set(agents.values())];
  if (names.length === 0) return null;
  return (
    <ul
      aria-label="Agents of the pipeline"
      className="grid shrink-0 grid-cols-2 gap-x-3 gap-y-1.5 border-t border-line px-4 py-2.5"
    >
      {names.map((name) => (
        <li key={name} className="flex min-w-0 items-center gap-1.5 text-xs text-muted">
          <span aria-hidden className="flex">
            <AgentAvatar agent={agentToken(name)} name={agentLabel(name)} size="xs" />
          </span>
          <span className="truncate">{agentLabel(name)}</span>
        </li>
      ))}
    </ul>
  );
}
