import type { LivePiece } from '@/model/run-log';

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
        <span
          aria-hidden
          className="ml-0.5 inline-block h-3.5 w-1.5 animate-pulse-soft bg-running align-text-bottom"
        />
      </p>
    </div>
  );
}

const tail = (text: string) => (text.length > 600 ? `…${text.slice(-600)}` : text);
