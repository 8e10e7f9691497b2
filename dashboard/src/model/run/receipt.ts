// What the outside world answered to an effect: the address in it, when there is one that a browser may open.

import type { JsonValue } from '@/wire/serde_json/JsonValue';

const isWeb = (text: string) => /^https?:\/\/[^\s]+$/i.test(text);

/** The address of the pull request, the comment, the branch. */
export function receiptLink(receipt: JsonValue): string | null {
  if (typeof receipt === 'string') return isWeb(receipt) ? receipt : null;
  if (typeof receipt !== 'object' || receipt === null) return null;
  const values = Array.isArray(receipt) ? receipt : preferred(receipt);
  for (const value of values) {
    if (typeof value === 'string' && isWeb(value)) return value;
  }
  return null;
}

/** `html_url` before `url`: the first is for people. */
function preferred(receipt: { [key in string]: JsonValue }): JsonValue[] {
  const { html_url = null, url = null, ...rest } = receipt;
  return [html_url, url, ...Object.values(rest)];
}

/** The same as one short text. */
export function receiptText(receipt: JsonValue): string {
  if (typeof receipt === 'string') return receipt;
  if (typeof receipt !== 'object' || receipt === null) return String(receipt);
  if (Array.isArray(receipt)) return JSON.stringify(receipt);
  return Object.entries(receipt)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
