import { type AgentToken, agents } from '@/ui/tones';

/** The colour of an agent: by its role, also with a number or a persona behind it. */
export function agentToken(name: string): AgentToken {
  const word = name.toLowerCase();
  return agents.find((token) => word === token || word.startsWith(token)) ?? 'system';
}
