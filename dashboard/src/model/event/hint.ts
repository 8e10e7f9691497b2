// What helps, in the server's words: a sentence, or a command that must stay as it is.

import { sentence } from './words';

/** The programs whose commands are hints of their own. */
const PROGRAM = /^(?:amelia|apt|brew|cargo|claude|codex|gh|git|npm) /;
/** What makes a sentence of a line that begins with a command: `amelia status lists all runs`. */
const PROSE = /[,;:`](?:\s|$)|\s(?:and|begins|is|lists|makes|or|says|shows|then|tries|trusts)\s/;
const QUOTED = /'[^']*'|"[^"]*"/g;

/** Whether the whole hint is one command. */
export const isCommand = (hint: string) =>
  PROGRAM.test(hint) && !PROSE.test(hint.replace(QUOTED, ''));

/** A hint to show: a command stands in backquotes, anything else is a sentence. */
export function hintText(hint: string): string {
  const text = hint.trim();
  if (isCommand(text)) return `\`${text}\``;
  // The name of a program has no capital letter.
  const said = PROGRAM.test(text) ? text : sentence(text);
  return /[.!?]$/.test(said) ? said : `${said}.`;
}
