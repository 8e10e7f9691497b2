import { expect, it } from 'vitest';
import { tokenIn } from './pasted-token';

it.each([
  ['  9ba986 \n', '9ba986'],
  ['http://127.0.0.1:8420/api/session?token=9ba986&next=%2Fui%2F', '9ba986'],
  ['<http://127.0.0.1:8420/api/session?next=/ui/&token=a%2Bb>', 'a+b'],
  ['/api/session?token=%zz', '%zz'],
  ['"9ba986"', '9ba986'],
  ['http://127.0.0.1:8420/ui/', ''],
  ['open this one', ''],
  ['', ''],
])('finds the token in %j', (pasted, token) => expect(tokenIn(pasted)).toBe(token));
