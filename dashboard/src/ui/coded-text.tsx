import type { ReactNode } from 'react';

type CodedTextProps = { children: ReactNode };

/** A text of the server: what stands in backquotes is code. Anything but text is drawn as it is. */
export function CodedText({ children }: CodedTextProps) {
  if (typeof children !== 'string') return children;
  return children.split(/`([^`\n]+)`/).map((piece, index) =>
    index % 2 === 1 ? (
      <code
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece is known by its place.
        key={index}
        className="rounded-sm bg-fg/6 px-1 py-px text-[0.92em] wrap-anywhere"
      >
        {piece}
      </code>
    ) : (
      piece
    ),
  );
}
