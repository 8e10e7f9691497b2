import { type KeyboardEvent, type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { cn } from '@/lib/cn';
import { type PlanPlace, placeLabel } from '@/model/comments/comments';
import { sectionAt } from '@/model/plan/plan';
import { CommentThread } from '../comments/comment-thread';
import { type ReviewKey, startComment, useReview } from '../comments/store';

type Lines = { start: number; end: number };

type PlanBlockProps = {
  markdown: string;
  lines: Lines;
  revision: number | null;
  review: ReviewKey;
  canComment: boolean;
  children: ReactNode;
};

/** A block of the plan with its gutter: a plus on hover, `c` on the focused block, comments below. */
export function PlanBlock(props: PlanBlockProps) {
  const { markdown, lines, revision, review, canComment, children } = props;
  const block = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<(Lines & { top: number }) | null>(null);
  const { comments, draft } = useReview(review);
  const source = markdown.split('\n');
  const placeOf = ({ start, end }: Lines): PlanPlace => ({
    kind: 'plan',
    revision,
    start,
    end,
    section: sectionAt(markdown, start),
    quote: source.slice(start - 1, end).join('\n'),
  });
  // A comment on another revision stands here only when the same words still do.
  const isHere = ({ kind, ...place }: PlanPlace | { kind: 'diff' }) =>
    kind === 'plan' &&
    'start' in place &&
    place.start >= lines.start &&
    place.end <= lines.end &&
    place.quote === source.slice(place.start - 1, place.end).join('\n');
  const own = comments.filter(({ place }) => isHere(place));
  const writing = draft && isHere(draft.place) ? draft : null;

  const onMouseMove = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : null;
    const line = target?.closest<HTMLElement>('[data-line-start]');
    if (!line || !block.current?.contains(line)) return;
    const { lineStart, lineEnd } = line.dataset;
    const top = line.getBoundingClientRect().top - block.current.getBoundingClientRect().top;
    setHovered({ start: Number(lineStart), end: Number(lineEnd), top });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (event.key === 'c' && canComment) {
      event.preventDefault();
      event.stopPropagation();
      startComment(review, placeOf(lines));
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveFocus(event);
  };
  const target = hovered ?? lines;
  return (
    <div
      ref={block}
      data-block
      data-from={lines.start}
      role="group"
      aria-label={placeLabel(placeOf(lines))}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a block is commented on by keyboard, too.
      tabIndex={0}
      onMouseMove={canComment ? onMouseMove : undefined}
      onMouseLeave={() => setHovered(null)}
      onKeyDown={onKeyDown}
      className={cn(
        'group/block relative -mx-2 scroll-mt-16 rounded-md px-2 md:-ml-9 md:pl-9',
        own.length > 0 && 'bg-accent-soft/40',
        canComment && 'hover:bg-hover/60 max-md:pr-9',
      )}
    >
      {children}
      {canComment && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Comment on ${placeLabel(placeOf(target))}`}
          onClick={() => startComment(review, placeOf(target))}
          style={hovered ? { top: hovered.top } : undefined}
          className="absolute top-0.5 flex size-5.5 items-center justify-center rounded-md bg-accent text-sm leading-none font-semibold text-accent-fg opacity-0 shadow-mid group-hover/block:opacity-100 group-focus-visible/block:opacity-100 max-md:right-1 max-md:bg-pressed max-md:text-muted max-md:opacity-100 max-md:shadow-none md:left-1.5"
        >
          +
        </button>
      )}
      {(own.length > 0 || writing) && (
        <div className="py-2 text-sm leading-5">
          <CommentThread review={review} comments={own} draft={writing} />
        </div>
      )}
    </div>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const all = [...document.querySelectorAll<HTMLElement>('[data-block]')];
  const index = all.indexOf(event.currentTarget);
  const next = all[index + (event.key === 'ArrowDown' ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}
