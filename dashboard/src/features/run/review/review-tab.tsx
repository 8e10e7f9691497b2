import { Eye } from 'lucide-react';
import { plural } from '@/lib/format';
import { roundsOf } from '@/model/run/reviews';
import { EmptyState } from '@/ui/empty-state';
import { LogStates, noneOf } from '../log-states';
import type { TabProps } from '../tab';
import { useSlowLog } from '../use-slow-log';
import { ReviewRound } from './review-round';

/** What the Reviewers said and the Evaluator decided, round by round, the latest first. */
export default function ReviewTab({ id, at }: TabProps) {
  const state = useSlowLog(id);
  const rounds = roundsOf(state.log.facts, at);
  if (rounds.length === 0)
    return (
      <LogStates state={state}>
        <EmptyState icon={<Eye />} title={noneOf('reviews', state)}>
          After the checks pass, the Reviewer reads the changes. Its findings and the Evaluator’s
          decisions appear here.
        </EmptyState>
      </LogStates>
    );
  const findings = rounds.reduce((sum, round) => sum + round.findings.length, 0);
  return (
    <div className="flex flex-col gap-4 p-3 md:p-4">
      <p className="text-sm text-muted">
        {plural(rounds.length, 'round')}, {plural(findings, 'finding')}
      </p>
      {rounds.toReversed().map((round) => (
        <ReviewRound key={round.seq} run={id} round={round} />
      ))}
    </div>
  );
}
