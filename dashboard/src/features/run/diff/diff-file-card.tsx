import { ChevronRight, MessageSquare } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { cn } from '@/lib/cn';
import { plural } from '@/lib/format';
import { type DiffPlace, placeKey } from '@/model/comments/comments';
import type { EditIndex } from '@/model/diff/provenance';
import { type DiffChange, type DiffFile, type DiffHunk, placeOf } from '@/model/diff/unified-diff';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import { VisibleText } from '@/ui/visible-text';
import { CommentThread, threadAt } from '../comments/comment-thread';
import { type Review, type ReviewKey, startComment } from '../comments/store';
import { Counts } from './counts';
import { DiffCode, type DiffLayout } from './diff-code';
import { HunkHeader } from './hunk-header';
import { isLarge, LINES_AT_ONCE, rowsOf, shortened } from './sizes';

export type DiffFileCardProps = {
  run: string;
  file: DiffFile;
  open: boolean;
  onOpen: (path: string, open: boolean) => void;
  layout: DiffLayout;
  wrap: boolean;
  edits: EditIndex | null;
  review: ReviewKey | null;
  /** Comments that stand in this file, and the one that is being written in it. */
  comments: Review | null;
};

const kinds: Record<DiffFile['kind'], string | null> = {
  add: 'new',
  delete: 'deleted',
  rename: 'renamed',
  copy: 'copied',
  modify: null,
};

/** The head of a file and its lines. */
export function DiffFileCard(props: DiffFileCardProps) {
  const { run, file, open, onOpen, layout, wrap, edits, review, comments } = props;
  const [most, setMost] = useState(LINES_AT_ONCE);
  const hunks = useMemo(() => shortened(file.hunks, most), [file.hunks, most]);
  const rows = rowsOf(file);
  const hunkHeader = useCallback(
    (hunk: DiffHunk) => <HunkHeader run={run} path={file.path} hunk={hunk} edits={edits} />,
    [run, file.path, edits],
  );
  const onComment = useCallback(
    (change: DiffChange) => review && startComment(review, placeIn(file.path, change)),
    [review, file.path],
  );
  const below = useCallback(
    (change: DiffChange): ReactNode => {
      const thread = review && comments && threadAt(comments, placeKey(placeIn(file.path, change)));
      return thread ? <CommentThread review={review} {...thread} /> : null;
    },
    [review, comments, file.path],
  );
  const count = comments?.comments.length ?? 0;

  return (
    <>
      <header
        className={cn(
          'sticky top-(--diff-top) z-10 flex min-h-9 items-center gap-1.5 bg-panel pr-3 pl-1',
          open && 'border-b border-line',
        )}
      >
        <button
          type="button"
          data-file-header
          aria-expanded={open}
          onClick={() => onOpen(file.path, !open)}
          className="flex min-w-0 items-center gap-1.5 rounded-md px-1 py-1 text-left hover:bg-hover"
        >
          <ChevronRight
            aria-hidden
            className={cn('size-4 shrink-0 text-subtle transition-transform', open && 'rotate-90')}
          />
          <span className="font-mono text-xs leading-5 wrap-anywhere">
            {file.kind === 'rename' && (
              <span className="text-muted">
                <VisibleText>{file.oldPath}</VisibleText> →{' '}
              </span>
            )}
            <VisibleText>{file.path}</VisibleText>
          </span>
        </button>
        <CopyButton text={file.path} label="Copy path" className="size-6 max-md:hidden" />
        <span className="ml-auto flex shrink-0 items-center gap-2">
          {count > 0 && (
            <Badge tone="accent" icon={<MessageSquare />} mono title={plural(count, 'comment')}>
              {count}
            </Badge>
          )}
          {file.path === edits?.plan && <Badge>the plan</Badge>}
          {kinds[file.kind] && <Badge>{kinds[file.kind]}</Badge>}
          {file.mode && <Badge mono>{file.mode}</Badge>}
          <Counts added={file.added} removed={file.removed} isBinary={file.isBinary} />
        </span>
      </header>
      {open &&
        (rows === 0 ? (
          <p className="px-4 py-3 text-sm text-muted">{withoutLines(file)}</p>
        ) : (
          <DiffCode
            file={file}
            hunks={hunks}
            layout={layout}
            wrap={wrap}
            hunkHeader={hunkHeader}
            {...(review ? { onComment, below } : {})}
          />
        ))}
      {!open && isLarge(file) && (
        <div className="flex items-center gap-3 border-t border-line px-4 py-2 text-xs text-muted">
          {plural(file.added + file.removed, 'changed line')}: a large file is folded at first
          <Button size="sm" onClick={() => onOpen(file.path, true)}>
            Show
          </Button>
        </div>
      )}
      {open && rows > most && (
        <div className="flex items-center gap-3 border-t border-line px-4 py-2 text-xs text-muted">
          {plural(rows - most, 'line')} more in this file
          <Button size="sm" onClick={() => setMost(most + LINES_AT_ONCE)}>
            Show {Math.min(rows - most, LINES_AT_ONCE).toLocaleString('en')} more
          </Button>
        </div>
      )}
    </>
  );
}

function placeIn(path: string, change: DiffChange): DiffPlace {
  return { kind: 'diff', path, ...placeOf(change), quote: change.content };
}

function withoutLines(file: DiffFile): string {
  if (file.isBinary) return 'Binary file not shown.';
  if (file.mode) return 'Only the file mode changed.';
  return file.kind === 'rename' ? 'File renamed without changes.' : 'No changed lines.';
}
