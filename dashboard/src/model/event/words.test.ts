import { expect, it } from 'vitest';
import { sentence } from './words';

it.each([
  ['plan valid, 2 tasks', 'Plan valid, 2 tasks'],
  ['waits: approval', 'Waits: approval'],
  ['calc.sh modified', 'calc.sh modified'],
  ['openai-compatible is not available', 'openai-compatible is not available'],
  ['README.md created', 'README.md created'],
  ['done', 'Done'],
])('%s begins as a sentence: %s', (text, expected) => expect(sentence(text)).toBe(expected));
