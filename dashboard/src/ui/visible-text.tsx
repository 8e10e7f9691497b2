import { segmentsOf } from '@/lib/visible';

type VisibleTextProps = { children: string };

/** Text from anybody: what cannot be seen in it is named. */
export function VisibleText({ children }: VisibleTextProps) {
  return segmentsOf(children).map((piece, index) =>
    piece.isHidden ? (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece is known by its place.
        key={index}
        title="Invisible character"
        className="rounded-sm bg-failed-soft px-0.5 font-mono text-[0.85em] text-failed"
      >
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}
