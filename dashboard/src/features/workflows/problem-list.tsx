import { CircleCheck, CircleX } from 'lucide-react';
import { plural } from '@/lib/format';
import { placeOf, wordsOf } from '@/model/workflows/definition';
import { CodedText } from '@/ui/coded-text';
import { Spinner } from '@/ui/spinner';
import type { DefinitionProblem } from '@/wire/DefinitionProblem';

type ProblemListProps = {
  id: string;
  problems: readonly DefinitionProblem[];
  error: Error | null;
  isChecking: boolean;
  onShow: (problem: DefinitionProblem) => void;
};

/** What is wrong with a text; a press goes to the place. */
export function ProblemList({ id, problems, error, isChecking, onShow }: ProblemListProps) {
  return (
    <div id={id} aria-live="polite" className="flex flex-col gap-1 text-xs">
      <p className="flex min-h-5 items-center gap-1.5 [&_svg]:size-3.5">
        {isChecking ? (
          <>
            <Spinner className="size-3.5" /> <span className="text-muted">Checking…</span>
          </>
        ) : (
          <Summary count={problems.length} error={error} />
        )}
      </p>
      {problems.length > 0 && (
        <ul aria-label="Problems" className="flex flex-col">
          {problems.map((problem) => (
            <li key={`${placeOf(problem)} ${wordsOf(problem)}`}>
              <button
                type="button"
                disabled={problem.file !== null}
                title={problem.file ?? 'Go to this place'}
                onClick={() => onShow(problem)}
                className="flex w-full gap-3 rounded-sm px-1 py-0.5 text-left enabled:hover:bg-hover disabled:cursor-default"
              >
                <code className="tabular shrink-0 text-failed">{placeOf(problem)}</code>
                <span className="min-w-0 text-pretty wrap-anywhere">
                  <CodedText>{wordsOf(problem)}</CodedText>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Summary({ count, error }: { count: number; error: Error | null }) {
  if (error) return <span className="text-failed">Could not check the text. {error.message}</span>;
  if (count > 0) {
    return (
      <>
        <CircleX aria-hidden className="text-failed" />
        <span className="font-medium text-failed">{plural(count, 'problem')}</span>
      </>
    );
  }
  return (
    <>
      <CircleCheck aria-hidden className="text-done" />{' '}
      <span className="text-done">No problems</span>
    </>
  );
}
