import { expect, it } from 'vitest';
import { agentMark, agentToken } from './agent-token';

it.each([
  ['developer', 'developer'],
  ['Reviewer', 'reviewer'],
  ['reviewer (security)', 'reviewer'],
  ['reviewer_2', 'reviewer'],
  ['architect 2', 'architect'],
  ['humanist', 'system'],
  ['helper', 'system'],
  ['', 'system'],
])('an agent named %j has the colour of %s', (name, token) => {
  expect(agentToken(name)).toBe(token);
});

it.each<[string, string[], string]>([
  ['developer', [], 'D'],
  ['developer', ['developer', 'reviewer'], 'D'],
  ['coder', ['coder', 'critic'], 'Co'],
  ['critic', ['coder', 'critic'], 'Cr'],
  ['composer', ['coder', 'composer'], 'Cm'],
  // The same role has the same mark.
  ['reviewer (security)', ['reviewer', 'reviewer (security)', 'reviewer_2'], 'R'],
  // The program is called Amelia.
  ['architect', ['architect', 'system'], 'Ar'],
])('%s among %j is %s', (name, names, mark) => {
  expect(agentMark(name, names)).toBe(mark);
});
