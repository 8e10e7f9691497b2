import { describe, expect, it } from 'vitest';
import css from '@/ui/tokens.css?raw';

// WCAG AA: text, also muted text, has a contrast of 4.5 against every surface it stands on.
const surfaces = ['canvas', 'panel', 'raised', 'sunken', 'hover'];
const statuses = ['queued', 'running', 'needs-you', 'paused', 'done', 'failed', 'cancelled'];
const syntax = 'fg comment keyword string number function type variable punctuation'.split(' ');
const agents = 'architect developer reviewer evaluator oracle human system'.split(' ');

const pairs: [string, string][] = [
  ...['fg', 'muted', 'subtle', 'accent-text'].flatMap((text) => on(text, surfaces)),
  ...statuses.flatMap((name) =>
    on(`status-${name}`, [`status-${name}-soft`, 'canvas', 'panel', 'raised', 'hover']),
  ),
  ...agents.flatMap((name) => on(`agent-${name}`, ['canvas', 'panel', 'raised'])),
  ...syntax.flatMap((name) => on(`code-${name}`, ['sunken', 'panel', 'diff-add', 'diff-del'])),
  ...on('code-fg', ['diff-add-strong', 'diff-del-strong']),
  ...on('diff-hunk-fg', ['diff-hunk']),
  ...on('diff-add-fg', ['diff-add']),
  ...on('diff-del-fg', ['diff-del']),
  ...on('accent-text', ['accent-soft']),
  ...on('accent-fg', ['accent', 'accent-hover']),
  ...on('danger-fg', ['danger', 'danger-hover']),
  ...on('inverse-fg', ['inverse']),
  ...on('muted', ['pressed']),
  ...on('fg', ['mark']),
];

function on(text: string, backgrounds: string[]): [string, string][] {
  return backgrounds.map((background) => [text, background]);
}

function tokens(selector: string): Map<string, string> {
  const block = css.slice(css.indexOf(selector)).split('\n}')[0] ?? '';
  return new Map([...block.matchAll(/--([\w-]+): (#\w{6});/g)].map(([, k = '', v = '']) => [k, v]));
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

describe.each([
  ['light', ':root {'],
  ['dark', ':root[data-theme="dark"] {'],
])('the %s theme', (_, selector) => {
  it('has readable text everywhere', () => {
    const known = tokens(selector);
    const poor = pairs
      .map(([text, back]) => ({
        pair: `${text} on ${back}`,
        ratio: contrast(known.get(text) ?? 'missing', known.get(back) ?? 'missing'),
      }))
      .filter(({ ratio }) => !(ratio >= 4.5));
    expect(poor).toEqual([]);
  });
});
