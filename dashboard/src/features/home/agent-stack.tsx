import { AgentAvatar } from '@/ui/agent-avatar';
import { agentToken } from '@/ui/agent-token';

type AgentStackProps = {
  agents: readonly string[];
  /** Who is at work right now. */
  live?: string | null;
};

const most = 4;

/** Who has worked on it, as small chips. */
export function AgentStack({ agents, live = null }: AgentStackProps) {
  return (
    <span className="inline-flex flex-wrap items-center gap-0.5 @xs:gap-x-2">
      {agents.slice(0, most).map((agent) => (
        <AgentAvatar
          key={agent}
          agent={agentToken(agent)}
          name={agent}
          withName="wide"
          size="sm"
          live={agent === live}
        />
      ))}
      {agents.length > most && <span className="text-2xs text-muted">+{agents.length - most}</span>}
    </span>
  );
}
