// The lines of a hunk as coloured pieces: syntax, the words that changed, and invisible characters.

import type { HunkTokens, TokenNode } from 'react-diff-view';
import { segmentsOf } from '@/lib/visible';
import { changedParts, type Range } from '@/model/diff/changed-words';
import type { DiffChange, DiffHunk } from '@/model/diff/unified-diff';
import type { Highlighter, Token } from '@/ui/use-highlight';

/** Longer lines are minified or data: they stay plain. */
const MAX_LINE_CHARS = 2_000;

export function tokensOf(
  hunks: DiffHunk[],
  highlight: Highlighter | null,
  language: string | undefined,
): HunkTokens {
  const tokens: HunkTokens = { old: [], new: [] };
  for (const hunk of hunks) {
    const parts = changedParts(hunk);
    const put = (side: 'old' | 'new') => {
      const changes = hunk.changes.filter(({ type }) => type !== other[side]);
      const lines = coloured(changes, highlight, language);
      changes.forEach((change, index) => {
        const line = numberOn(change, side);
        tokens[side][line - 1] = nodesOf(
          lines[index] ?? [plain(change.content)],
          parts.get(change),
        );
      });
    };
    put('old');
    put('new');
  }
  return tokens;
}

const other = { old: 'insert', new: 'delete' } as const;
const plain = (text: string): Token => ({ text, className: '' });

function numberOn(change: DiffChange, side: 'old' | 'new'): number {
  if (change.type !== 'normal') return change.lineNumber;
  return side === 'old' ? change.oldLineNumber : change.newLineNumber;
}

function coloured(
  changes: DiffChange[],
  highlight: Highlighter | null,
  language: string | undefined,
): Token[][] {
  const isPlain =
    !highlight || !language || changes.some(({ content }) => content.length > MAX_LINE_CHARS);
  if (isPlain) return changes.map(({ content }) => [plain(content)]);
  const lines = highlight(changes.map(({ content }) => content).join('\n'), language);
  return lines ?? changes.map(({ content }) => [plain(content)]);
}

function nodesOf(tokens: Token[], part: Range | undefined): TokenNode[] {
  const nodes: TokenNode[] = [];
  let from = 0;
  for (const { text, className } of tokens) {
    const cuts = part ? [part.start - from, part.end - from] : [];
    let at = 0;
    for (const cut of [...cuts.filter((one) => one > 0 && one < text.length), text.length]) {
      const isEdit = part !== undefined && from + at >= part.start && from + cut <= part.end;
      addNodes(nodes, text.slice(at, cut), isEdit ? `${className} diff-code-edit` : className);
      at = cut;
    }
    from += text.length;
  }
  return nodes;
}

function addNodes(nodes: TokenNode[], text: string, className: string): void {
  for (const piece of segmentsOf(text)) {
    if (piece.isHidden)
      nodes.push({ type: 'span', className: 'diff-code-hidden', value: piece.text });
    else if (className.trim() === '') nodes.push({ type: 'text', value: piece.text });
    else nodes.push({ type: 'span', className, value: piece.text });
  }
}
