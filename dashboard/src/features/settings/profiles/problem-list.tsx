import { useEffect, useRef } from 'react';
import type { ApiError } from '@/api/http';
import { Notice } from '@/features/settings/parts/notice';
import type { Problem } from '@/model/settings/problems';
import { CodedText } from '@/ui/coded-text';

type ProblemListProps = { failure: ApiError | null; problems: readonly Problem[] };

/** Brings the field into view and puts the focus there. */
function show(path: string) {
  const fields = [...document.querySelectorAll<HTMLElement>('[data-path]')];
  const field = fields.findLast((one) => path.startsWith(one.dataset.path ?? '-'));
  field?.scrollIntoView({ block: 'center' });
  field?.querySelector<HTMLElement>('input, textarea, button')?.focus();
}

/** Why the server did not take the document, each reason with the way to its field. */
export function ProblemList({ failure, problems }: ProblemListProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (failure) place.current?.scrollIntoView({ block: 'center' });
  }, [failure]);
  if (!failure) return null;
  return (
    <div ref={place}>
      {problems.length > 0 ? (
        <Problems problems={problems} />
      ) : (
        <Notice tone="error" title={failure.message}>
          {failure.hint}
        </Notice>
      )}
    </div>
  );
}

function Problems({ problems }: { problems: readonly Problem[] }) {
  return (
    <Notice tone="error" title="The server rejected the profile. Nothing was saved.">
      <ul className="mt-1 flex flex-col gap-1">
        {problems.map((problem) => (
          <li key={`${problem.path} ${problem.message}`} className="wrap-anywhere">
            {problem.path !== '' && (
              <button
                type="button"
                className="mr-1.5 rounded-sm font-mono text-xs text-accent-text hover:underline"
                onClick={() => show(problem.path)}
              >
                {problem.path}
              </button>
            )}
            <CodedText>{problem.message}</CodedText>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
