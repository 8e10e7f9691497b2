import { agentName } from '@/ui/agent-token';

/** `Developer`; the person who decides is you. */
export const agentLabel = (agent: string) => (agent === 'human' ? 'You' : agentName(agent));
