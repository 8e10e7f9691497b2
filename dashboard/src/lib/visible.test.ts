import { describe, expect, it } from 'vitest';
import { segmentsOf, shown } from '@/lib/visible';

describe('hidden characters', () => {
  it.each([
    ['plain text\twith a tab', 'plain text\twith a tab'],
    ['a\u202eb', 'a⟨U+202E⟩b'],
    ['\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
    ['zero\u200bwidth', 'zero⟨U+200B⟩width'],
    ['nul\u0000', 'nul⟨U+0000⟩'],
    ['tag\u{e0041}', 'tag⟨U+E0041⟩'],
    ['ünïcode 日本 🙂 👩‍💻', 'ünïcode 日本 🙂 👩‍💻'],
    ['a\u200db', 'a⟨U+200D⟩b'],
  ])('%j is shown as %s', (text, wanted) => {
    expect(shown(text)).toBe(wanted);
    expect(
      segmentsOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(wanted);
  });
});
