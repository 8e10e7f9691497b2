import { expect, test } from 'vitest';
import { ApiError } from './http';
import { refusalOf } from './refusal';

test('only that the server cannot be reached is forgotten after a while', () => {
  const refused = new ApiError(409, 'CONFLICT', 'the run has ended', { hint: 'fork it' });
  expect(refusalOf(refused)).toEqual({
    title: 'the run has ended',
    tone: 'error',
    description: 'fork it',
  });
  expect(refusalOf(new ApiError(0, 'UNREACHABLE', 'the server cannot be reached')).duration).toBe(
    8_000,
  );
});
