import { type AgentToken, agents } from '@/ui/tones';

/**
 * The colour of an agent by the role that its name begins with: `developer`, `reviewer_2`, `reviewer (security)`.
 * An agent without a known role has the colour of the system.
 */
export function agentToken(name: string): AgentToken {
  const role = /^[a-z]+/.exec(name.toLowerCase())?.[0];
  return agents.find((token) => token === role) ?? 'system';
}

export const agentName = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
