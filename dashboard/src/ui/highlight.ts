// Source text to coloured lines. Loaded lazily through `use-highlight.ts`: keep it out of the entry.
import type { ElementContent, RootContent } from 'hast';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { Token } from '@/ui/use-highlight';

const lowlight = createLowlight({
  bash,
  css,
  diff,
  go,
  ini,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});
lowlight.registerAlias({
  bash: ['shell', 'console', 'zsh'],
  ini: ['toml'],
  json: ['jsonl', 'jsonc'],
});

/** The tokens of each line, or `null` for a language we do not know. */
export function highlightLines(code: string, language: string): Token[][] | null {
  if (!lowlight.registered(language)) return null;
  const lines: Token[][] = [[]];
  walk(lowlight.highlight(language, code).children, '', lines);
  return lines;
}

function walk(nodes: (RootContent | ElementContent)[], className: string, lines: Token[][]): void {
  for (const node of nodes) {
    if (node.type === 'element') {
      const own = node.properties.className;
      walk(node.children, Array.isArray(own) ? own.join(' ') : className, lines);
    } else if (node.type === 'text') {
      node.value.split('\n').forEach((text, index) => {
        if (index > 0) lines.push([]);
        if (text) lines.at(-1)?.push({ text, className });
      });
    }
  }
}
