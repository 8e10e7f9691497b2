// A prompt in pieces: what Amelia says to an agent, and the texts of others that it passes on.

export type PromptPart =
  | { type: 'words'; text: string }
  /** Such as a diff: to be shown as it is. */
  | { type: 'given'; source: string; text: string };

const GIVEN = /<untrusted source="([^"\n]*)">\r?\n?([\s\S]*?)\r?\n?<\/untrusted>/g;

export function promptParts(prompt: string): PromptPart[] {
  const parts: PromptPart[] = [];
  let from = 0;
  const words = (to: number) => {
    const text = prompt.slice(from, to).trim();
    if (text !== '') parts.push({ type: 'words', text });
  };
  for (const match of prompt.matchAll(GIVEN)) {
    const [whole, source = '', text = ''] = match;
    words(match.index);
    parts.push({ type: 'given', source, text });
    from = match.index + whole.length;
  }
  words(prompt.length);
  return parts;
}

/** The language that a text is drawn in. */
export const languageOf = (text: string) => (/^(diff --git|--- )/.test(text) ? 'diff' : undefined);
