import { cn } from '@/lib/cn';
import { CodeBlock } from '@/ui/code-block';

export type EvidencePiece =
  | { type: 'lines'; lines: string[]; isCode: boolean }
  | { type: 'code'; code: string; title?: string; language?: string; wrap?: boolean };

/** What a person has to see to decide: lists and pieces of code, none of them long on the screen. */
export function Evidence({ pieces }: { pieces: EvidencePiece[] }) {
  if (pieces.length === 0) return null;
  return (
    <div className="flex max-w-4xl flex-col gap-2">
      {pieces.map((piece) =>
        piece.type === 'lines' ? (
          <ul key="lines" className="list-disc pl-4 marker:text-subtle">
            {piece.lines.map((line) => (
              <li
                key={line}
                className={cn('wrap-anywhere', piece.isCode && 'font-mono text-xs leading-5')}
              >
                {line}
              </li>
            ))}
          </ul>
        ) : (
          <Code key={piece.title ?? 'code'} {...piece} />
        ),
      )}
    </div>
  );
}

function Code({ type: _, ...code }: Extract<EvidencePiece, { type: 'code' }>) {
  return <CodeBlock {...code} maxHeight={220} />;
}
