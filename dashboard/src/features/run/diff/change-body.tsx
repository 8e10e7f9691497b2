import type { DiffFile } from '@/model/diff/unified-diff';
import type { ReviewKey } from '../comments/store';
import { ChangeStates } from './change-states';
import { CutNotice } from './cut-notice';
import { DiffFiles } from './diff-files';
import type { Change } from './use-diff';
import type { DiffView } from './use-diff-view';

type ChangeBodyProps = {
  run: string;
  change: Change;
  view: DiffView;
  /** Those of its files that are wanted. */
  listed: DiffFile[];
  /** Where comments are kept; without it comments are off. */
  review: ReviewKey | null;
  /** Of one task only. */
  isPart: boolean;
  /** As of a moment that is over. */
  isPast?: boolean;
  size?: 'page' | 'panel';
};

/** The files of a change, or what there is in their place. */
export function ChangeBody({ run, change, view, listed, review, ...states }: ChangeBodyProps) {
  const { diff, files, edits } = change;
  return (
    <>
      {diff.data?.is_cut && (
        <CutNotice run={change.name} shown={files.length} all={diff.data.files.length} />
      )}
      {files.length > 0 ? (
        <DiffFiles
          run={run}
          files={listed}
          opened={view.opened}
          onOpen={view.open}
          layout={view.layout}
          wrap={view.wrap}
          edits={edits}
          review={review}
        />
      ) : (
        <ChangeStates query={diff} status={change.status} {...states} />
      )}
    </>
  );
}
