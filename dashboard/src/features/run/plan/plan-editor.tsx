import { RotateCcw } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { plural } from '@/lib/format';
import { hunksBetween } from '@/model/diff/text-diff';
import { Button } from '@/ui/button';
import { LineEditor } from '@/ui/line-editor';
import { Markdown } from '@/ui/markdown';

type PlanEditorProps = {
  original: string;
  text: string;
  onChange: (text: string) => void;
  onReset: () => void;
  onLeave: () => void;
};

/** The Markdown with line numbers, and beside it what it looks like. Escape leaves it and keeps what was typed. */
export function PlanEditor({ original, text, onChange, onReset, onLeave }: PlanEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  // What is typed right after the editor was opened is meant for it; the text is read from its beginning.
  useEffect(() => {
    area.current?.setSelectionRange(0, 0);
    area.current?.focus({ preventScroll: true });
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onLeave();
  };
  const changed = hunksBetween(original, text, 0).reduce(
    (sum, hunk) => sum + Math.max(hunk.oldLines, hunk.newLines),
    0,
  );
  return (
    <div className="flex flex-col gap-2">
      <div className="flex min-h-8 items-center gap-3 text-xs text-muted" aria-live="polite">
        {changed > 0 ? `${plural(changed, 'line')} changed, not sent yet` : 'No changes yet'}
        {changed > 0 && (
          <Button size="sm" variant="ghost" icon={<RotateCcw />} onClick={onReset}>
            Discard changes
          </Button>
        )}
      </div>
      <div className="grid gap-4 xl:grid-cols-2">
        <LineEditor
          ref={area}
          label="Plan (Markdown)"
          text={text}
          onChange={onChange}
          onKeyDown={onKeyDown}
        />
        <section aria-label="Preview" className="rounded-lg border border-line bg-panel px-4 py-3">
          <Markdown text={text} />
        </section>
      </div>
    </div>
  );
}
