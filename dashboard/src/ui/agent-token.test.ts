import { expect, it } from 'vitest';
import { agentToken } from './agent-token';

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
