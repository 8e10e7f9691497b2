import { AgentAvatar } from '@/ui/agent-avatar';
import { agentToken } from '@/ui/agent-token';

/** An agent of a team inside a line: its mark and its name as the team file has it. */
export function AgentWord({ name }: { name: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 align-bottom font-medium">
      <span aria-hidden className="flex">
        <AgentAvatar agent={agentToken(name)} name={name} size="xs" />
      </span>
      {name}
    </span>
  );
}
