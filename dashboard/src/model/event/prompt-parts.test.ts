import { expect, it } from 'vitest';
import { languageOf, type PromptPart, promptParts } from './prompt-parts';

const words = (text: string): PromptPart => ({ type: 'words', text });
const given = (source: string, text: string): PromptPart => ({ type: 'given', source, text });

it.each<[string, PromptPart[]]>([
  ['Look.', [words('Look.')]],
  [
    'The changes:\n\n<untrusted source="diff">\ndiff --git a b\n+1\n</untrusted>\n\nReview them.',
    [words('The changes:'), given('diff', 'diff --git a b\n+1'), words('Review them.')],
  ],
  [
    '<untrusted source="a">\nx\n</untrusted>\n<untrusted source="b">y</untrusted>',
    [given('a', 'x'), given('b', 'y')],
  ],
  ['<untrusted source="a">\nno end', [words('<untrusted source="a">\nno end')]],
  ['', []],
])('%j in pieces', (prompt, parts) => expect(promptParts(prompt)).toEqual(parts));

it('knows a diff', () => {
  expect(['diff --git a b', '--- a', 'plain'].map(languageOf)).toEqual(['diff', 'diff', undefined]);
});
