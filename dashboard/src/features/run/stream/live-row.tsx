import type { LivePiece } from '@/model/run/run-log';
import { Delayed } from '@/ui/delayed';

const CARET = 'ml-0.5 inline-block h-3.5 w-1.5 bg-running align-text-bottom';

/** What is being said right now. */
export function LiveRow({ piece }: { piece: LivePiece }) {
  const isText = piece.kind === 'text';
  return (
    <div className="px-1.5 py-1">
      <p
        className={
          isText
            ? 'text-sm text-pretty wrap-anywhere whitespace-pre-wrap'
            : 'text-xs text-pretty wrap-anywhere whitespace-pre-wrap text-subtle italic'
        }
      >
        {isText ? piece.text : tail(piece.text)}
        <Delayed early={<span aria-hidden className={CARET} />}>
          <span aria-hidden className={`${CARET} animate-pulse-soft`} />
        </Delayed>
      </p>
    </div>
  );
}

const tail = (text: string) => (text.length > 600 ? `…${text.slice(-600)}` : text);
