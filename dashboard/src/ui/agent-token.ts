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

const roleOf = (name: string) => /^[a-z]+/.exec(name.toLowerCase())?.[0] ?? name;
const letterAt = (name: string, at: number) => name.charAt(at).toLowerCase();

/**
 * The letter of an agent: `D`. Where another one of `names` has the same letter and another role, a second one in which
 * they differ: `Co` and `Cr`.
 */
export function agentMark(name: string, names: readonly string[]): string {
  const own = agentName(name);
  const first = own.charAt(0).toUpperCase();
  const rivals = names
    .map(agentName)
    .filter((other) => letterAt(other, 0) === letterAt(own, 0) && roleOf(other) !== roleOf(own));
  if (rivals.length === 0) return first;
  for (let at = 1; at < own.length; at += 1)
    if (rivals.every((other) => letterAt(other, at) !== letterAt(own, at)))
      return first + letterAt(own, at);
  return first;
}

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
