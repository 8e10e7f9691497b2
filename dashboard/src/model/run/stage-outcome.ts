// How the last visit of each stage came out, for the picture of the pipeline.

import { answerLabel, CHANGES_REQUESTED } from '@/model/event/answer-label';
import type { Item, Section, Visit } from '@/model/stream/transcript';

/** `back`: it sent the work back; `stopped`: the run ended before it did. */
export type StageOutcome = 'good' | 'back' | 'bad' | 'stopped';

/** Up to `seq`; a stage that is still open has none, unless the run is over. */
export function stageOutcomes(
  sections: readonly Section[],
  isOver: boolean,
  seq = Number.POSITIVE_INFINITY,
): Map<string, StageOutcome> {
  const last = new Map<string, Visit>();
  for (const section of sections) {
    if (section.kind !== 'visit') continue;
    if (section.fromSeq > seq) break;
    last.set(section.node, section);
  }
  const outcomes = new Map<string, StageOutcome>();
  for (const [node, visit] of last) {
    const hasEnded = visit.toSeq !== null && visit.toSeq <= seq;
    if (hasEnded) outcomes.set(node, outcomeOf(visit));
    else if (isOver) outcomes.set(node, 'stopped');
  }
  return outcomes;
}

/** One reviewer of several is enough to send the work back; of checks, the last ones count. */
function outcomeOf({ items }: Visit): StageOutcome {
  const known = items.map(judged).filter((one) => one !== null);
  return known.includes('back') ? 'back' : (known.at(-1) ?? 'good');
}

function judged(item: Item): StageOutcome | null {
  if (item.kind !== 'note') return null;
  const { kind } = item.event;
  if ('task' in kind) {
    if ('checked' in kind.task)
      return kind.task.checked.checks.every(({ passed }) => passed) ? 'good' : 'bad';
    return 'failed' in kind.task ? 'bad' : null;
  }
  if ('review' in kind) {
    if ('completed' in kind.review) return kind.review.completed.review.approved ? 'good' : 'back';
    return 'revision_requested' in kind.review ? 'back' : null;
  }
  if ('plan' in kind) return 'refused' in kind.plan ? 'back' : null;
  if ('human' in kind && 'replied' in kind.human && item.asked)
    return answerLabel(kind.human.replied, item.asked) === CHANGES_REQUESTED ? 'back' : null;
  if ('agent' in kind && 'finished' in kind.agent) return 'bad';
  return null;
}
