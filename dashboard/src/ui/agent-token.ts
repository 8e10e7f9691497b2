import { type AgentToken, agents } from '@/ui/tones';

/**
 * The colour of an agent by the role that its name begins with: `developer`, `reviewer_2`, `reviewer (security)`.
 * An agent without a known role has the colour of the system.
 */
export function agentToken(name: string): AgentToken {
  const role = /^[a-z]+/.exec(name.toLowerCase())?.[0];
  return agents.find((token) => token === role) ?? 'system';
}

/** Who a log means by names that are no agent's. */
const SPECIAL_NAMES: Record<string, string> = { system: 'Amelia', human: 'You' };

/** `Developer`; the program itself is Amelia, and the person who decides is you. */
export const agentName = (name: string) =>
  SPECIAL_NAMES[name] ?? name.charAt(0).toUpperCase() + name.slice(1);

const DUTIES: Partial<Record<string, string>> = {
  architect: 'Turns an issue into a plan.',
  developer: 'Implements the plan, task by task.',
  reviewer: 'Reviews the changes and comments on them.',
  evaluator: 'Decides which review comments to act on.',
  oracle: 'Answers difficult questions of the architect and the developer. Read-only.',
};

/** What an agent is there for, by its role; nothing for an unknown role. */
export const agentDuty = (name: string) => DUTIES[agentToken(name)];

/** `Developer. Implements the plan, task by task.` */
export function agentTitle(name: string): string {
  const duty = agentDuty(name);
  return duty === undefined ? agentName(name) : `${agentName(name)}. ${duty}`;
}
