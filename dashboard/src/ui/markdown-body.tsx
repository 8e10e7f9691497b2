import type { Element } from 'hast';
import { Square, SquareCheck } from 'lucide-react';
import { createElement, type ReactNode, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from '@/ui/code-block';
import { markdownLines } from '@/ui/markdown-lines';
import { markdownNames } from '@/ui/markdown-names';

export type MarkdownLines = { start: number; end: number };

export type MarkdownBodyProps = {
  text: string;
  /** Wraps an outermost block, knowing the lines (from 1) of `text` it came from. */
  renderBlock?: (block: ReactNode, lines: MarkdownLines) => ReactNode;
};

const outermost = [
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'blockquote',
  'table',
  'hr',
];

/** Load it through `Markdown`. */
export default function MarkdownBody({ text, renderBlock }: MarkdownBodyProps) {
  const components = useMemo(() => componentsWith(renderBlock), [renderBlock]);
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, markdownNames]}
      rehypePlugins={[markdownLines]}
      urlTransform={safeUrl}
      components={components}
    >
      {text}
    </ReactMarkdown>
  );
}

function safeUrl(url: string): string {
  return /^(https?:\/\/|mailto:)/i.test(url.trim()) ? url.trim() : '';
}

function componentsWith(renderBlock: MarkdownBodyProps['renderBlock']): Components {
  const wrap = (block: ReactNode, node: Element | undefined): ReactNode => {
    const lines = node && linesOf(node);
    return renderBlock && lines && node.properties.dataOutermost
      ? renderBlock(block, lines)
      : block;
  };
  const wrapped: Components = {};
  for (const tag of outermost) {
    Object.assign(wrapped, {
      [tag]: ({ node, ...rest }: { node?: Element }) => wrap(createElement(tag, rest), node),
    });
  }
  return {
    ...wrapped,
    a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
    img: ({ src, alt }) => (
      <SafeLink href={typeof src === 'string' ? src : undefined}>
        image: {alt || 'unnamed'}
      </SafeLink>
    ),
    // Only the boxes of a task list are inputs here, and they are not for clicking.
    input: ({ checked }) =>
      checked ? (
        <SquareCheck role="img" aria-hidden={false} aria-label="done" className="text-done" />
      ) : (
        <Square role="img" aria-hidden={false} aria-label="open" className="text-subtle" />
      ),
    pre: ({ node }) => {
      if (!node) return null;
      const { code, language } = codeOf(node);
      const lines = linesOf(node);
      const block = (
        <div data-line-start={lines?.start} data-line-end={lines?.end} className="my-3">
          <CodeBlock code={code} language={language} />
        </div>
      );
      return wrap(block, node);
    },
  };
}

function SafeLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

function linesOf(node: Element): MarkdownLines | undefined {
  const { dataLineStart: start, dataLineEnd: end } = node.properties;
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined;
}

function codeOf(pre: Element): { code: string; language: string | undefined } {
  const inner = pre.children.find((child) => child.type === 'element');
  const names = inner?.properties.className;
  const name = Array.isArray(names) ? names.find((one) => String(one).startsWith('language-')) : '';
  const code = (inner ?? pre).children
    .map((child) => (child.type === 'text' ? child.value : ''))
    .join('');
  return { code, language: name ? String(name).slice('language-'.length) : undefined };
}
