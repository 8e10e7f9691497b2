import { expect, it } from 'vitest';
import { childId } from './child-id';

it.each([
  ['0193c5a2-0000-7000-8000-000000000001', 3, 'call_1', '7ed44aad-b9b3-892b-b183-924d75e71961'],
  // Longer than one block, and not only ASCII.
  ['é'.repeat(60), 1, 'x', 'f417b447-cc8f-83c1-8e46-3b89d1eecf3e'],
])('is the id that the server derives: %s', (parent, step, call, expected) => {
  expect(childId(parent, step, call)).toBe(expected);
});
