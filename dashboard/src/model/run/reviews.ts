// Reviews and what was decided about them, put together: a finding with its decision.

import type { EvaluatedItem } from '@/wire/log/EvaluatedItem';
import type { ReviewComment } from '@/wire/log/ReviewComment';
import type { Severity } from '@/wire/log/Severity';
import type { TaskRef } from '@/wire/log/TaskRef';
import type { EvaluationFact, Facts, ReviewFact } from './facts';

export type Finding = {
  key: string;
  comment: ReviewComment;
  persona: string;
  decision: EvaluatedItem | null;
};

export type Verdict = { persona: string; approved: boolean; severity: Severity; seq: number };

/** One round over one task: one or several reviewers, and one evaluation at most. */
export type Round = {
  seq: number;
  at: string;
  round: number;
  task: TaskRef | null;
  verdicts: Verdict[];
  findings: Finding[];
  /** What the Evaluator said of all; `null` when it was not asked. */
  summary: string | null;
};

type ReviewFacts = Pick<Facts, 'reviews' | 'evaluations'>;

/** Oldest first, as of `at`. */
export function roundsOf({ reviews, evaluations }: ReviewFacts, at: number | null): Round[] {
  const isThen = ({ seq }: { seq: number }) => at === null || seq <= at;
  const rounds: Round[] = [];
  const left = evaluations.filter(isThen);
  for (const fact of reviews.filter(isThen)) {
    const last = rounds.at(-1);
    const round = last && isSame(last, fact) ? last : begun(rounds, fact);
    addReview(round, fact);
  }
  for (const round of rounds) {
    const next = rounds.find((other) => other.seq > round.seq && isSame(other, round));
    const found = left.find(
      (one) => isSame(one, round) && one.seq > round.seq && (!next || one.seq < next.seq),
    );
    if (found) decide(round, found);
  }
  return rounds;
}

type Ref = { round: number; task: TaskRef | null };

const isSame = (a: Ref, b: Ref) => a.round === b.round && a.task?.id === b.task?.id;

function begun(rounds: Round[], { seq, at, round, task }: ReviewFact): Round {
  const fresh: Round = { seq, at, round, task, verdicts: [], findings: [], summary: null };
  rounds.push(fresh);
  return fresh;
}

function addReview(round: Round, { seq, review }: ReviewFact): void {
  const { persona, approved, severity, comments } = review;
  round.verdicts.push({ persona, approved, severity, seq });
  comments.forEach((comment, index) => {
    round.findings.push({ key: `${seq}.${index}`, comment, persona, decision: null });
  });
}

/** The Evaluator numbers findings in their order; its words of the finding tell whether that holds. */
function decide(round: Round, { evaluation }: EvaluationFact): void {
  round.summary = evaluation.summary;
  for (const item of evaluation.items) {
    const byText = round.findings.find(
      (one) => one.decision === null && one.comment.text === item.issue,
    );
    const found = byText ?? round.findings[item.number - 1];
    if (found && found.decision === null) found.decision = item;
  }
}
