// What is pasted to sign in: the token, or the whole link that has it.

/** The token in it; empty when there is none. */
export function tokenIn(pasted: string): string {
  const text = pasted.trim().replace(/^["'<]+|["'>]+$/g, '');
  const inLink = /[?&#]token=([^&#\s]*)/.exec(text)?.[1];
  if (inLink === undefined) return /\s|^https?:/i.test(text) ? '' : text;
  try {
    return decodeURIComponent(inLink);
  } catch {
    return inLink;
  }
}
