// How a vote stands.

import type { Proposal } from './team-view';

const KINDS = [
  ['approve', 'for it'],
  ['reject', 'against it'],
  ['abstain', 'abstained'],
] as const;

/** Who has not voted, and the numbers in words: `2 for it, 1 against it`. */
export function voteCount({ votes, stakeholders }: Proposal): { silent: string[]; words: string } {
  const voted = new Set(votes.map(({ by }) => by));
  const counts = KINDS.map(
    ([kind, words]) => [votes.filter(({ vote }) => vote === kind).length, words] as const,
  );
  const words = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return {
    silent: stakeholders.filter((name) => !voted.has(name)),
    words: words.length > 0 ? words.join(', ') : 'no votes',
  };
}
