import { describe, expect, it } from 'vitest';
import { readEdits } from './state-edits';

describe('edits of the state', () => {
  it.each([
    ['', {}, null],
    ['issue.title=A better title', { 'issue.title': 'A better title' }, null],
    ['a=1\n\nb.c = {"d": [true]}', { a: 1, 'b.c': { d: [true] } }, null],
    ['a=b=c', { a: 'b=c' }, null],
    ['a=', { a: '' }, null],
    ['a=1\nrubbish', { a: 1 }, 'Line 2 is not path=value'],
    ['=1', {}, 'Line 1 is not path=value'],
  ])('%j', (text, set, problem) => {
    expect(readEdits(text)).toEqual({ set, problem });
  });
});
