import { CircleCheck, CircleX } from 'lucide-react';
import { shown } from '@/lib/visible';
import type { Round } from '@/model/run/reviews';
import { Badge } from '@/ui/badge';
import { Markdown } from '@/ui/markdown';
import { TimeAgo } from '@/ui/time-ago';
import { SeqLink } from '../seq-link';
import { ReviewFinding } from './review-finding';
import { severityTone, severityWord } from './tones';

type ReviewRoundProps = { run: string; round: Round };

export function ReviewRound({ run, round }: ReviewRoundProps) {
  const { task, verdicts, findings, summary, at, seq } = round;
  return (
    <section className="overflow-hidden rounded-lg border border-line bg-panel shadow-low">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-2 text-sm">
        <h2 className="font-medium">
          Round {round.round}
          {task && <span className="font-normal text-muted"> of task {task.index + 1}</span>}
        </h2>
        {verdicts.map((verdict) => (
          <Badge
            key={verdict.seq}
            tone={verdict.approved ? 'done' : severityTone[verdict.severity]}
            icon={verdict.approved ? <CircleCheck /> : <CircleX />}
          >
            {shown(verdict.persona) || 'Reviewer'}:{' '}
            {verdict.approved ? 'approved' : `changes requested, ${severityWord[verdict.severity]}`}
          </Badge>
        ))}
        <span className="ml-auto flex items-center gap-2 text-xs text-muted">
          <TimeAgo at={at} />
          <SeqLink run={run} seq={seq} className="font-mono text-accent-text hover:underline">
            #{seq}
          </SeqLink>
        </span>
      </header>
      {findings.length === 0 ? (
        <p className="px-3 py-2.5 text-sm text-muted">No findings.</p>
      ) : (
        <ol>
          {findings.map((finding, index) => (
            <ReviewFinding key={finding.key} run={run} number={index + 1} finding={finding} />
          ))}
        </ol>
      )}
      {summary && (
        <footer className="border-t border-line bg-canvas/60 px-3 py-2 text-sm">
          <p className="text-2xs font-medium text-evaluator">Evaluator</p>
          <Markdown text={summary} className="text-sm" />
        </footer>
      )}
    </section>
  );
}
