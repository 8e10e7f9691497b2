// Which language a file is in, by its name; the names are those of the highlighter.

const byExtension: Record<string, string> = {
  rs: 'rust',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  py: 'python',
  go: 'go',
  sh: 'bash',
  bash: 'bash',
  zsh: 'bash',
  css: 'css',
  scss: 'css',
  html: 'xml',
  xml: 'xml',
  svg: 'xml',
  vue: 'xml',
  json: 'json',
  jsonl: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  toml: 'ini',
  ini: 'ini',
  cfg: 'ini',
  md: 'markdown',
  sql: 'sql',
  diff: 'diff',
  patch: 'diff',
};

export function languageOf(path: string): string | undefined {
  const name = path.split('/').at(-1)?.toLowerCase() ?? '';
  if (name === 'dockerfile' || name === 'makefile') return 'bash';
  return byExtension[name.split('.').at(-1) ?? ''];
}

const IMAGES = /\.(png|jpe?g|gif|webp)$/i;

/** Whether a browser draws it. A drawing in text, such as SVG, is shown as text. */
export const isImage = (path: string) => IMAGES.test(path);
