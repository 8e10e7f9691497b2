// Short words for the parts of an event. The summary of a whole event comes from the server.

import type { CheckResult } from '@/wire/log/CheckResult';
import type { Message } from '@/wire/log/Message';
import type { ToolCall } from '@/wire/log/ToolCall';

const MAX_LINE_CHARS = 120;

const TELLING = [
  'command',
  'path',
  'file_path',
  'pattern',
  'query',
  'url',
  'question',
  'description',
  'task',
  'decision',
  'vote',
  'outcome',
  'result',
  'destination_agent',
  'reason',
  'summary',
];

/** A call in one line: the tool, and the argument that says most. */
export function brief(call: ToolCall): string {
  for (const name of TELLING) {
    const said = call.args[name];
    if (typeof said === 'string') return `${call.tool} ${oneLine(said)}`;
  }
  return call.tool;
}

/** What the turn says in words. */
export function textOf(message: Message): string {
  return message.parts.flatMap((part) => ('text' in part ? [part.text.text] : [])).join('\n\n');
}

/** With a capital letter at its beginning, unless that is a name: `calc.sh modified`, `openai-compatible is gone`. */
export function sentence(text: string): string {
  return /^[a-z]+(?=[\s,:;.!?]*(\s|$))/.test(text)
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : text;
}

export function oneLine(text: string): string {
  const line = (text.split(/\r?\n/).find((line) => line.trim() !== '') ?? '').trim();
  if (line.length <= MAX_LINE_CHARS) return line;
  const short = Array.from(line).slice(0, MAX_LINE_CHARS).join('');
  return short.length < line.length ? `${short}…` : short;
}

/** The marks around text that an agent must not take for an instruction. */
const FENCE = /<\/?untrusted\b[^>\n]*>/g;

/** The first words of a prompt, without the mark that they are fenced by. A label says nothing without what follows it. */
export function promptLine(text: string): string {
  const [first = '', second] = text
    .replace(FENCE, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return oneLine(first.endsWith(':') && second ? `${first} ${second}` : first);
}

/** How a check ended, in a few words. */
export function checkEnd(check: CheckResult): string {
  if (check.interrupted) return 'was interrupted, its outcome is unknown';
  if (check.passed) return 'passed';
  if (check.timed_out) return 'took too long';
  return check.exit_code == null ? 'was killed' : `failed with exit code ${check.exit_code}`;
}
