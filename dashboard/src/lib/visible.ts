// Characters that a reader does not see, but a compiler or a shell does: they are named instead of drawn.

export type TextSegment = { text: string; isHidden: boolean };

// Format and control characters (bidirectional ones, zero width, tags) but tab and line ends; and letters that are blank.
// What joins two pictures to one is seen as that one.
const joiner =
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})';
const hidden = new RegExp(
  `(?![\\t\\n\\r]|${joiner})(?:\\p{Cc}|\\p{Cf}|[\\u115f\\u1160\\u17b4\\u17b5\\u2028\\u2029\\u3164\\uffa0])`,
  'gu',
);

/** `⟨U+202E⟩` for a character that would turn the line around. */
const named = (character: string) =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** The text in pieces, hidden characters by their names. */
export function segmentsOf(text: string): TextSegment[] {
  const pieces: TextSegment[] = [];
  let from = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), isHidden: false });
    pieces.push({ text: named(match[0]), isHidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isHidden: false });
  return pieces;
}

/** The same as one string: for names, titles and labels. */
export function shown(text: string): string {
  return text.replace(hidden, named);
}
