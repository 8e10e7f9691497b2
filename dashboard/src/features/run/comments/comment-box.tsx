import { type KeyboardEvent, useEffect, useRef } from 'react';
import { toastWithUndo } from '@/lib/toast';
import { shown } from '@/lib/visible';
import { placeLabel } from '@/model/comments/comments';
import { Button } from '@/ui/button';
import { Textarea } from '@/ui/textarea';
import {
  type Draft,
  dropDraft,
  keepDraft,
  type ReviewKey,
  restoreDraft,
  writeDraft,
} from './store';

type CommentBoxProps = { review: ReviewKey; draft: Draft };

/** Where a comment is written. Ctrl-Enter keeps it, Escape drops it. */
export function CommentBox({ review, draft }: CommentBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const label = shown(placeLabel(draft.place));
  useEffect(() => {
    const before = document.activeElement;
    const area = box.current?.querySelector('textarea');
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  const drop = () => {
    dropDraft(review);
    if (draft.text.trim() !== '')
      toastWithUndo('Comment dropped', () => restoreDraft(review, draft));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    drop();
  };
  return (
    <div ref={box} className="rounded-lg border border-accent/50 bg-panel p-2.5 shadow-mid">
      <Textarea
        aria-label={`Comment on ${label}`}
        placeholder="What should be different, and why?"
        minRows={2}
        value={draft.text}
        onChange={(event) => writeDraft(review, event.target.value)}
        onSubmit={() => keepDraft(review)}
        onKeyDown={onKeyDown}
      />
      <div className="mt-2 flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-2xs text-subtle" title={label}>
          {label}
        </span>
        <Button size="sm" variant="ghost" onClick={drop}>
          Drop
        </Button>
        <Button
          size="sm"
          variant="primary"
          shortcut="mod+enter"
          disabled={draft.text.trim() === ''}
          onClick={() => keepDraft(review)}
        >
          {draft.editing ? 'Save' : 'Add comment'}
        </Button>
      </div>
    </div>
  );
}
