import { useMemo } from 'react';
import { shown } from '@/lib/visible';
import { hunksBetween } from '@/model/diff/text-diff';
import { EmptyState } from '@/ui/empty-state';
import { DiffCode } from '../diff/diff-code';

type PlanChangesProps = {
  before: string;
  after: string;
  /** `Revision 1`, `Revision 2`, `Your edits`. */
  beforeName: string;
  afterName: string;
  /** What was said to the one before. */
  feedback: string | null;
};

const file = { path: 'plan.md', kind: 'modify' } as const;

export function PlanChanges(props: PlanChangesProps) {
  const { before, after, beforeName, afterName, feedback } = props;
  const hunks = useMemo(() => hunksBetween(before, after), [before, after]);
  return (
    <div className="flex flex-col gap-3">
      {feedback && (
        <blockquote className="rounded-lg border-l-3 border-human bg-panel px-3 py-2 text-sm whitespace-pre-wrap wrap-anywhere">
          <p className="mb-1 text-2xs font-medium text-muted">Feedback on {beforeName}</p>
          {shown(feedback)}
        </blockquote>
      )}
      {hunks.length === 0 ? (
        <EmptyState title="No differences">
          {beforeName} and {afterName} are identical.
        </EmptyState>
      ) : (
        <div className="overflow-clip rounded-lg border border-line bg-panel shadow-low">
          <p className="px-3 py-2 text-xs text-muted">
            From {beforeName} to {afterName}
          </p>
          <DiffCode
            file={file}
            hunks={hunks}
            layout="unified"
            wrap
            hunkHeader={(hunk) => (
              <div className="tabular border-y border-line bg-diff-hunk px-3 py-0.5 font-mono text-2xs text-diff-hunk-fg">
                −{hunk.oldStart},{hunk.oldLines} +{hunk.newStart},{hunk.newLines}
              </div>
            )}
          />
        </div>
      )}
    </div>
  );
}
