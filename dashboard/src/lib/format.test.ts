import { describe, expect, it } from 'vitest';
import * as format from '@/lib/format';

const now = Date.UTC(2026, 10, 15, 12);
const second = 1_000;
const hour = 3_600 * second;

describe('format', () => {
  it.each([
    [0, '0'],
    [950, '950'],
    [1_000, '1k'],
    [12_345, '12.3k'],
    [123_456, '123k'],
    [999_999, '1M'],
    [4_100_000, '4.1M'],
  ])('%d tokens are %s', (tokens, text) => expect(format.formatTokens(tokens)).toBe(text));

  it.each([
    [null, 'unknown price'],
    [0, '$0.00'],
    [0.00001, '<$0.0001'],
    [0.0123, '$0.0123'],
    [0.99999, '$1.00'],
    [12.3, '$12.30'],
    [1234567.891, '$1,234,567.89'],
    [-2.5, '-$2.50'],
  ])('%s dollars are %s', (usd, text) => expect(format.formatMoney(usd)).toBe(text));

  it.each([
    [340, '340 ms'],
    [999.7, '1.0 s'],
    [4_200, '4.2 s'],
    [59_960, '1m 00s'],
    [192_000, '3m 12s'],
    [2 * hour + 300_000, '2h 05m'],
    [76 * hour, '3d 4h'],
    [-5, '0 ms'],
  ])('%d ms last %s', (ms, text) => expect(format.formatDuration(ms)).toBe(text));

  it.each([
    [512, '512 B'],
    [1_234, '1.2 kB'],
    [999_999, '1 MB'],
    [340_000_000, '340 MB'],
  ])('%d bytes are %s', (bytes, text) => expect(format.formatBytes(bytes)).toBe(text));

  it.each([
    [now - 2 * second, 'now'],
    [now - 12 * second, '12s ago'],
    [now - 5 * 60 * second, '5m ago'],
    [now + 2 * hour, 'in 2h'],
    [now - 80 * hour, '3d ago'],
    ['rubbish', 'unknown time'],
  ])('%s is %s', (at, text) => expect(format.formatRelative(at, now)).toBe(text));

  it.each([
    ['it was merged before', 'It was merged before.'],
    ['`main` has 1 commit: run your tests', '`main` has 1 commit: run your tests.'],
    ['Done.', 'Done.'],
  ])('%s is the sentence %s', (clause, text) => expect(format.sentence(clause)).toBe(text));

  it('counts with the right word', () => {
    expect([1, 2, 1200].map((n) => format.plural(n, 'file'))).toEqual([
      '1 file',
      '2 files',
      '1,200 files',
    ]);
  });
});
