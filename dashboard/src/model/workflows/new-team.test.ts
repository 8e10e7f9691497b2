import { expect, it } from 'vitest';
import { nameIn } from './new-team';

it('the name of a team is in its document', () => {
  expect(nameIn({ name: 'news' })).toBe('news');
  expect(nameIn(null)).toBeNull();
  expect(nameIn([])).toBeNull();
});
