import './diff-code.css';
import { Fragment, type KeyboardEvent, type ReactNode, useCallback, useMemo } from 'react';
import { Decoration, Diff, getChangeKey, Hunk, type RenderGutter } from 'react-diff-view';
import { cn } from '@/lib/cn';
import { languageOf } from '@/lib/language';
import { type DiffChange, type DiffFile, type DiffHunk, placeOf } from '@/model/diff/unified-diff';
import { useHighlighter } from '@/ui/use-highlight';
import { tokensOf } from './tokens';

export type DiffLayout = 'unified' | 'split';

type DiffCodeProps = {
  file: Pick<DiffFile, 'path' | 'kind'>;
  hunks: DiffHunk[];
  layout: DiffLayout;
  wrap: boolean;
  hunkHeader: (hunk: DiffHunk, index: number) => ReactNode;
  /** What stands below a line: comments. */
  below?: (change: DiffChange) => ReactNode;
  /** Starts a comment on the line; without it lines have no button. */
  onComment?: (change: DiffChange) => void;
};

/** The lines of one file. Arrow keys move between lines; `c` or Enter comments on one. */
export function DiffCode(props: DiffCodeProps) {
  const { file, hunks, layout, wrap, hunkHeader, below, onComment } = props;
  const language = languageOf(file.path);
  const highlight = useHighlighter(language !== undefined);
  const tokens = useMemo(() => tokensOf(hunks, highlight, language), [hunks, highlight, language]);

  const renderGutter: RenderGutter = useCallback(
    ({ change, side, renderDefault }) => {
      const isHere = layout === 'unified' ? side === 'new' : side === placeOf(change).side;
      return onComment && isHere ? (
        <LineButton change={change} onComment={onComment}>
          {renderDefault()}
        </LineButton>
      ) : (
        renderDefault()
      );
    },
    [layout, onComment],
  );
  const widgets = useMemo(() => {
    const found: Record<string, ReactNode> = {};
    if (!below) return found;
    for (const change of hunks.flatMap(({ changes }) => changes)) {
      const widget = below(change);
      if (widget) found[getChangeKey(change)] = <Widget>{widget}</Widget>;
    }
    return found;
  }, [hunks, below]);

  return (
    <div
      role="group"
      aria-label={`Lines of ${file.path}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      onKeyDown={moveBetweenLines}
      className={cn(
        '@container scroll-quiet overflow-x-auto focus-visible:-outline-offset-2',
        !wrap && layout === 'unified' && 'diff-wide',
      )}
    >
      <Diff
        diffType={file.kind}
        hunks={hunks}
        viewType={layout}
        gutterType="default"
        tokens={tokens}
        widgets={widgets}
        renderGutter={renderGutter}
      >
        {(all) =>
          all.map((hunk, index) => (
            <Fragment key={`${hunk.oldStart}-${hunk.newStart}`}>
              <Decoration>
                <div data-hunk className="diff-sticky">
                  {hunkHeader(hunks[index] ?? { ...hunk, heading: '' }, index)}
                </div>
              </Decoration>
              <Hunk hunk={hunk} />
            </Fragment>
          ))
        }
      </Diff>
    </div>
  );
}

function Widget({ children }: { children: ReactNode }) {
  return (
    <div className="diff-sticky border-y border-line bg-canvas px-3 py-2.5 font-sans">
      <div className="max-w-180">{children}</div>
    </div>
  );
}

type LineButtonProps = {
  change: DiffChange;
  onComment: (change: DiffChange) => void;
  children: ReactNode;
};

/** The number of a line; pressed, it takes a comment. */
function LineButton({ change, onComment, children }: LineButtonProps) {
  const { side, line } = placeOf(change);
  return (
    <button
      type="button"
      tabIndex={-1}
      data-line={`${side}-${line}`}
      aria-label={`Comment on ${side === 'old' ? 'removed line' : 'line'} ${line}`}
      onClick={() => onComment(change)}
      className="diff-line-button scroll-mt-32 scroll-mb-16 focus-visible:-outline-offset-2"
    >
      {children}
      <span
        aria-hidden
        className="diff-add-comment absolute top-0.5 left-0.5 size-4 items-center justify-center rounded-sm bg-accent text-2xs font-bold text-accent-fg shadow-mid"
      >
        +
      </span>
    </button>
  );
}

function moveBetweenLines(event: KeyboardEvent<HTMLElement>): void {
  const target = event.target instanceof HTMLElement ? event.target : null;
  const isLine = target?.dataset.line !== undefined;
  if (!target || (target !== event.currentTarget && !isLine)) return;
  if (event.key === 'c' && isLine && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    event.stopPropagation();
    target.click();
    return;
  }
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-line]')];
  const next = lines[isLine ? lines.indexOf(target) + step : step > 0 ? 0 : lines.length - 1];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
