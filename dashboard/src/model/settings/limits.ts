// Budgets of the server and of a profile side by side: for each limit, the lowest counts.

import type { Budget } from '@/wire/Budget';
import type { Budgets } from '@/wire/Budgets';

export type Scope = keyof Budgets;
export type Amount = keyof Budget;
export type Limit = { scope: Scope; amount: Amount; label: string };

export const scopes: readonly { scope: Scope; title: string; help: string }[] = [
  { scope: 'per_run', title: 'A run', help: 'The run stops and asks when it reaches the limit.' },
  { scope: 'per_agent', title: 'Each agent in a run', help: 'Counted separately for each agent.' },
  { scope: 'per_day', title: 'A day', help: 'For all runs and profiles. Set on the server only.' },
];

const amounts: readonly { amount: Amount; label: string }[] = [
  { amount: 'usd', label: 'Cost' },
  { amount: 'tokens', label: 'Tokens' },
  { amount: 'calls', label: 'Model calls' },
  { amount: 'wall_seconds', label: 'Active time' },
];

/** The limits of a scope. Time is limited for a run only. */
export function limitsOf(scope: Scope): Limit[] {
  return amounts
    .filter(({ amount }) => amount !== 'wall_seconds' || scope === 'per_run')
    .map(({ amount, label }) => ({ scope, amount, label }));
}

export type EffectiveLimit = {
  /** What counts; `null` is no limit. */
  value: number | null;
  from: 'server' | 'profile' | null;
  /** The profile's own, when the server's is lower. */
  overruled: number | null;
};

export function effectiveLimit(server: number | null, profile: number | null): EffectiveLimit {
  if (profile === null)
    return { value: server, from: server === null ? null : 'server', overruled: null };
  if (server !== null && server < profile)
    return { value: server, from: 'server', overruled: profile };
  return { value: profile, from: 'profile', overruled: null };
}
