import { type AgentToken, agents } from '@/ui/tones';

/** The colour of an agent by its name; one that is not of the crew looks like the system. */
export function agentToken(name: string): AgentToken {
  const role = name.toLowerCase();
  return agents.find((token) => role === token || role.startsWith(`${token} `)) ?? 'system';
}

export const agentName = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
