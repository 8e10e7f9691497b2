import { isAskedByNode, type Standing } from '@/model/standing';
import type { RunDetail } from '@/wire/RunDetail';

type Words = {
  title: string;
  message: string;
  /** Words of a person are the way on. */
  isAnswered: boolean;
};

/** Why it stands still, for a person; nothing while it works, or when it has ended well. */
export function whyInWords(detail: RunDetail, standing: Standing): Words | null {
  const { why } = detail;
  const { waiting, tone } = standing;
  const message = sentence(why?.message ?? standing.failure ?? '');
  const say = (title: string, more = message): Words => ({
    title,
    message: more,
    isAnswered: false,
  });
  if (tone === 'failed') return say('Failed.', sentence(standing.failure ?? message));
  if (waiting !== null) {
    if (waiting === 'approval') return say('The plan waits for you.');
    if (isAskedByNode(waiting)) return { ...say(ASKS[waiting] ?? 'A question.'), isAnswered: true };
    return say(STOPS[waiting] ?? 'It waits.', waiting === 'pause' ? 'Nothing is lost.' : message);
  }
  if (why?.waiting_for === 'resume')
    return say('Interrupted.', 'Nobody is at it. Resume it, and it goes on where it was.');
  if (why?.waiting_for === 'start') return say('Not started.', 'It waits until you start it.');
  if (why?.waiting_for === 'turn')
    return say('Queued.', 'It starts by itself when fewer runs are at work.');
  return null;
}

const ASKS: Record<string, string> = {
  question: 'An agent asks you.',
  escalation: 'It needs your decision.',
  rounds: 'The rounds are used up.',
};

const STOPS: Record<string, string> = {
  budget: 'The budget is used up.',
  quota: 'The quota is used up.',
  step_limit: 'It took many steps.',
  breakpoint: 'Stopped at a breakpoint.',
  step: 'Step by step.',
  pause: 'Paused.',
};

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
