import { expect, it } from 'vitest';
import { promptLine, sentence } from './words';

it.each([
  ['plan valid, 2 tasks', 'Plan valid, 2 tasks'],
  ['waits: approval', 'Waits: approval'],
  ['calc.sh modified', 'calc.sh modified'],
  ['openai-compatible is not available', 'openai-compatible is not available'],
  ['README.md created', 'README.md created'],
  ['done', 'Done'],
])('%s begins as a sentence: %s', (text, expected) => expect(sentence(text)).toBe(expected));

it.each([
  ['<untrusted source="critic">\nThe title is too long.\n</untrusted>\n', 'The title is too long.'],
  ['<untrusted source="critic">Shorter.</untrusted> Write it again.', 'Shorter. Write it again.'],
  ['The issue:\n\n<untrusted source="issue">\nFix the sum\n</untrusted>', 'The issue: Fix the sum'],
  ['Implement the task.\n<untrusted source="plan">\nFirst', 'Implement the task.'],
  ['if a < b, say so', 'if a < b, say so'],
])('the first words of the prompt %j are %j', (text, words) =>
  expect(promptLine(text)).toBe(words),
);
