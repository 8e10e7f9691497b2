import { useMemo, useRef } from 'react';
import { plural } from '@/lib/format';
import type { Comment } from '@/model/comments';
import type { Makers } from '@/model/provenance';
import type { DiffFile } from '@/model/unified-diff';
import { Button } from '@/ui/button';
import { type Review, type ReviewKey, useReview } from '../comments/store';
import type { DiffLayout } from './diff-code';
import { DiffFileCard } from './diff-file-card';
import { isLarge } from './sizes';

type DiffFilesProps = {
  run: string;
  files: DiffFile[];
  /** Files that somebody opened or closed by hand; others are open unless they are large. */
  opened: ReadonlyMap<string, boolean>;
  onOpen: (path: string, open: boolean) => void;
  layout: DiffLayout;
  wrap: boolean;
  makers: Makers | null;
  /** Where comments are kept; without it nobody can comment. */
  review: ReviewKey | null;
};

export const isOpen = (file: DiffFile, opened: ReadonlyMap<string, boolean>) =>
  opened.get(file.path) ?? !isLarge(file);

export function DiffFiles(props: DiffFilesProps) {
  const { run, files, opened, onOpen, layout, wrap, makers, review } = props;
  const comments = useReview(review ?? `diff.${run}`);
  const byFile = useByFile(comments);
  return (
    <div className="flex flex-col gap-3">
      {files.map((file) => {
        const open = isOpen(file, opened);
        const hint = !open && opened.get(file.path) === undefined && isLarge(file);
        return (
          <div key={file.path}>
            <DiffFileCard
              run={run}
              file={file}
              open={open}
              onToggle={() => onOpen(file.path, !open)}
              layout={layout}
              wrap={wrap}
              makers={makers}
              review={review}
              comments={byFile(file.path)}
            />
            {hint && (
              <div className="mx-3 flex items-center gap-3 rounded-b-lg border border-t-0 border-line px-3 py-2 text-xs text-muted">
                {plural(file.added + file.removed, 'changed line')}: folded, because it is large
                <Button size="sm" onClick={() => onOpen(file.path, true)}>
                  Show
                </Button>
              </div>
            )}
          </div>
        );
      })}
    </div>
  );
}

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
