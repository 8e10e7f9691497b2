// The call that an agent asks for, in one line: what would be allowed must be seen before it is allowed.

import type { JsonValue } from '@/wire/serde_json/JsonValue';
import type { Detail } from './detail';
import { isObject } from './json';

type AskedCall = Extract<Detail, { type: 'call' }>;

/** As much as a row shows without a cut. */
const MAX_CHARS = 200;
/** Arguments that do not change what a command does. */
const MINOR = new Set(['description', 'timeout']);

/** `Asks to use Bash: sleep 8`, with the command as code. */
export function askedCall(call: AskedCall): string {
  const line = lineOf(call);
  if (line === '') return `Asks to use ${call.tool}`;
  // A backquote would end the code early.
  const code = line.includes('`') ? line : `\`${line}\``;
  return `Asks to use ${call.tool}: ${code}`;
}

/** Whether that line shows all that would be allowed. */
export function isShownWhole(detail: Detail): boolean {
  if (detail.type !== 'call') return true;
  const { command, rest } = detail;
  if (command === null) return (rest ?? '') === '' || compact(rest).length <= MAX_CHARS;
  return lineOf(detail) === command && argsIn(rest).every((name) => MINOR.has(name));
}

function lineOf({ command, rest }: AskedCall): string {
  const text = command ?? compact(rest);
  const [first = ''] = text.trim().split(/\r?\n/);
  const short = Array.from(first).slice(0, MAX_CHARS).join('');
  return short === text ? text : `${short} …`;
}

/** `rest` is JSON that is indented. */
const compact = (rest: string | null) => (rest ? JSON.stringify(JSON.parse(rest)) : '');

function argsIn(rest: string | null): string[] {
  const args: JsonValue = rest ? JSON.parse(rest) : {};
  return isObject(args) ? Object.keys(args) : [];
}

/** The same behind the name of the agent: `Developer asks to use Bash`. */
export const afterName = (why: string) => why.replace(/^Asks /, 'asks ');
