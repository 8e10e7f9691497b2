// Why a run is where it is, in the words of a screen.

import { isCommand } from '@/model/event/hint';
import { sentence } from '@/model/event/words';
import type { RunSummary } from '@/wire/RunSummary';

/** The first line of what the server says, as a sentence of its own: no hint, no "continue?". */
export function plainly(text: string): string {
  const line = (text.split(/\r?\n/)[0] ?? '').trim();
  const said = line
    .replace(/: (continue|go on|what now|try again|ask (it )?again)\b[^:]*\?$/, '')
    .trim();
  return sentence(said);
}

/** What the server advises in a line of its own. A command stays as it is. */
export function hintIn(text: string): string | null {
  const found = /^\s*hint: (.+)$/m.exec(text);
  if (!found?.[1]) return null;
  return isCommand(found[1]) ? found[1] : plainly(found[1]);
}

/** What the server says without its advice. */
export const withoutHint = (text: string) => text.replace(/\s*^\s*hint: .+$/m, '');

/** A card has little room, and what a tool would do matters more than who asks. */
function asks(message: string): string {
  const call = /^.+? (?:wants|asks) to use (.+)$/.exec(message.split(/\r?\n/)[0] ?? '')?.[1];
  return call ? `Asks to use ${call}` : `Asks: ${plainly(message)}`;
}

/** `null` while it is at work, and when it has ended well. */
export function whyItWaits(run: RunSummary): string | null {
  const why = run.why;
  if (!why) return null;
  switch (why.waiting_for) {
    case 'work':
      return null;
    case 'start':
      return 'Not started yet';
    case 'turn':
      return 'Waiting for a free slot';
    case 'resume':
      return 'Interrupted: no worker is running it';
    case 'retry':
      return plainly(why.message);
    case 'approval':
      return run.stages.includes('approve')
        ? 'Waiting for your approval of the plan'
        : asks(why.message);
    case 'question':
      return `Asks: ${plainly(why.message)}`;
    case 'pause':
      return 'Paused by a user';
    case 'step':
      return 'Running step by step';
    default:
      return plainly(why.message);
  }
}

/** A run is at work right now. */
export const isAtWork = (run: RunSummary) => run.why?.waiting_for === 'work';
