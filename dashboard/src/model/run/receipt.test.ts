import { describe, expect, it } from 'vitest';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { receiptLink, receiptText } from './receipt';

const cases: [JsonValue, string | null][] = [
  ['https://example.org/pull/1', 'https://example.org/pull/1'],
  [
    { url: 'https://api.example.org/1', html_url: 'https://example.org/1' },
    'https://example.org/1',
  ],
  [{ number: 4, link: 'http://example.org/4' }, 'http://example.org/4'],
  ['javascript:alert(1)', null],
  [{ url: 'javascript:alert(1)' }, null],
  [{ url: ' https://example.org with words' }, null],
  [null, null],
  [7, null],
];

describe('a receipt', () => {
  it.each(cases)('%j leads to %s', (receipt, wanted) => {
    expect(receiptLink(receipt)).toBe(wanted);
  });

  it('is said in words', () => {
    expect(receiptText({ commit: 'abc', number: 3, note: null })).toBe('commit: abc, number: 3');
    expect(receiptText(null)).toBe('null');
  });
});
