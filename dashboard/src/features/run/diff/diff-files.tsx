import { memo, useMemo, useRef } from 'react';
import { shown } from '@/lib/visible';
import type { Comment } from '@/model/comments/comments';
import type { EditIndex } from '@/model/diff/provenance';
import type { DiffFile } from '@/model/diff/unified-diff';
import { LazyMount } from '@/ui/lazy-mount';
import { type Review, type ReviewKey, useReview } from '../comments/store';
import type { DiffLayout } from './diff-code';
import { DiffFileCard, type DiffFileCardProps } from './diff-file-card';
import { isLarge, LINES_AT_ONCE, rowsOf } from './sizes';

type DiffFilesProps = {
  run: string;
  files: DiffFile[];
  /** Files that were opened or closed by hand. */
  opened: ReadonlyMap<string, boolean>;
  onOpen: (path: string, open: boolean) => void;
  layout: DiffLayout;
  wrap: boolean;
  edits: EditIndex | null;
  /** Where comments are kept; without it comments are off. */
  review: ReviewKey | null;
};

/** What was not opened or closed by hand is open, unless it is large, or the plan: that was read before. */
export const isOpen = (
  file: DiffFile,
  opened: ReadonlyMap<string, boolean>,
  edits: EditIndex | null,
) => opened.get(file.path) ?? !(isLarge(file) || file.path === edits?.plan);

export function DiffFiles(props: DiffFilesProps) {
  const { run, files, opened, onOpen, layout, wrap, edits, review } = props;
  const comments = useReview(review ?? `diff.${run}`);
  const byFile = useByFile(comments);
  return (
    <div className="flex flex-col gap-3">
      {files.map((file) => (
        <FileSection
          key={file.path}
          run={run}
          file={file}
          open={isOpen(file, opened, edits)}
          onOpen={onOpen}
          layout={layout}
          wrap={wrap}
          edits={edits}
          review={review}
          comments={byFile(file.path)}
        />
      ))}
    </div>
  );
}

/** Keeps the place of a file, and draws it only near the eye: a change may have hundreds. */
const FileSection = memo(function FileSection(props: DiffFileCardProps) {
  const { file, open, comments } = props;
  const lines = open ? Math.min(rowsOf(file), LINES_AT_ONCE) : 0;
  return (
    <section
      data-file={file.path}
      aria-label={shown(file.path)}
      tabIndex={-1}
      className="scroll-mt-(--diff-top) overflow-clip rounded-lg border border-line bg-panel shadow-low outline-none"
    >
      <LazyMount estimate={37 + lines * 20 + file.hunks.length * 24} keep={comments?.draft != null}>
        {() => <DiffFileCard {...props} />}
      </LazyMount>
    </section>
  );
});

const none: Comment[] = [];

/** The part of a review that belongs to a file. It stays the same object while nothing in the file changes. */
function useByFile(review: Review): (path: string) => Review | null {
  const known = useRef(new Map<string, Review>());
  return useMemo(() => {
    const inFile = new Map<string, Comment[]>();
    for (const comment of review.comments) {
      if (comment.place.kind !== 'diff') continue;
      inFile.set(comment.place.path, [...(inFile.get(comment.place.path) ?? []), comment]);
    }
    return (path) => {
      const comments = inFile.get(path) ?? none;
      const { draft } = review;
      const own = draft?.place.kind === 'diff' && draft.place.path === path ? draft : null;
      if (comments.length === 0 && !own) return null;
      const before = known.current.get(path);
      if (before && before.draft === own && sameList(before.comments, comments)) return before;
      const fresh: Review = { comments, draft: own, note: '' };
      known.current.set(path, fresh);
      return fresh;
    };
  }, [review]);
}

const sameList = (a: Comment[], b: Comment[]) =>
  a.length === b.length && a.every((one, index) => one === b[index]);
