import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { plural } from '@/lib/format';
import { fieldLabels, type Problem } from '@/model/start/draft-problems';
import { CodedText } from '@/ui/coded-text';
import { idOf } from './form';

type ProblemSummaryProps = { problems: readonly Problem[]; refusals: number };

/** Everything that is wrong, in one place; it takes the focus when it appears. */
export function ProblemSummary({ problems, refusals }: ProblemSummaryProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refusals > 0) box.current?.focus();
  }, [refusals]);
  if (problems.length === 0) return null;
  return (
    <div
      ref={box}
      role="alert"
      tabIndex={-1}
      className="flex gap-3 rounded-lg border border-failed/35 bg-failed-soft px-4 py-3 text-sm"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">
          {problems.length === 1
            ? 'The run was not started'
            : `The run was not started: ${plural(problems.length, 'problem')}`}
        </p>
        <ul className="mt-1 flex flex-col gap-0.5">
          {problems.map((problem) => (
            <li key={`${problem.field} ${problem.message}`} className="wrap-anywhere">
              <Line problem={problem} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function Line({ problem: { field, message, hint } }: { problem: Problem }) {
  return (
    <>
      {field && (
        <>
          <button
            type="button"
            className="rounded-sm font-medium underline underline-offset-3"
            onClick={() => document.getElementById(idOf(field))?.focus()}
          >
            {fieldLabels[field]}
          </button>
          {': '}
        </>
      )}
      <span className="whitespace-pre-line">
        <CodedText>{message}</CodedText>
      </span>
      {hint && (
        <span className="block text-muted">
          <CodedText>{hint}</CodedText>
        </span>
      )}
    </>
  );
}
