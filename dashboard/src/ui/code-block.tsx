import { useMemo } from 'react';
import { cn } from '@/lib/cn';
import { CopyButton } from '@/ui/copy-button';
import { type Token, useHighlight } from '@/ui/use-highlight';

type CodeBlockProps = {
  code: string;
  /** `rust`, `ts`, `bash`, …; unknown ones stay plain. */
  language?: string | undefined;
  /** Above the code: a file name, a command. */
  title?: string;
  lineNumbers?: boolean;
  /** The number of the first line. */
  firstLine?: number;
  wrap?: boolean;
  /** Scrolls inside beyond this height. */
  maxHeight?: number;
  copy?: boolean;
  className?: string;
};

export function CodeBlock(props: CodeBlockProps) {
  const { language, title, lineNumbers = false, firstLine = 1, wrap = false, maxHeight } = props;
  const code = useMemo(() => props.code.replace(/\n$/, ''), [props.code]);
  const lines = useHighlight(code, language?.toLowerCase());
  const copy = props.copy !== false && (
    <CopyButton text={code} label="Copy code" className="size-6" />
  );
  return (
    <div
      className={cn(
        'group relative overflow-hidden rounded-md border border-line bg-sunken text-code-fg',
        props.className,
      )}
    >
      {title && (
        <div className="flex h-8 items-center justify-between border-b border-line pr-1 pl-3">
          <span className="truncate font-mono text-2xs text-muted">{title}</span>
          {copy}
        </div>
      )}
      {!title && copy && (
        <div className="absolute top-1 right-1 rounded-md bg-sunken opacity-0 transition-opacity group-hover:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-100">
          {copy}
        </div>
      )}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="scroll-quiet overflow-auto py-2 font-mono text-xs leading-5 focus-visible:-outline-offset-2"
        style={maxHeight === undefined ? undefined : { maxHeight }}
      >
        <code
          className={cn(
            'block min-w-max px-3',
            wrap && 'min-w-0 wrap-anywhere whitespace-pre-wrap',
          )}
        >
          {lines.map((tokens, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number.
            <span key={index} className="block min-h-5">
              {lineNumbers && (
                <span
                  aria-hidden
                  className="tabular mr-4 inline-block min-w-6 text-right text-subtle select-none"
                >
                  {firstLine + index}
                </span>
              )}
              <Tokens tokens={tokens} />
            </span>
          ))}
        </code>
      </pre>
    </div>
  );
}

function Tokens({ tokens }: { tokens: Token[] }) {
  return tokens.map((token, index) =>
    token.className ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a token is known by its place in the line.
      <span key={index} className={token.className}>
        {token.text}
      </span>
    ) : (
      token.text
    ),
  );
}
