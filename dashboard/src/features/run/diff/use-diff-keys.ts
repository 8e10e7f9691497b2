import type { RefObject } from 'react';
import { useListedKey, useShortcut } from '@/lib/use-shortcut';
import { reveal } from './reveal';
import type { DiffView } from './use-diff-view';

const group = 'Changes';

/** Keys that move through a change and turn its view. */
export function useDiffKeys(root: RefObject<HTMLElement | null>, view: DiffView): void {
  const go = (selector: string, step: 1 | -1) => {
    if (root.current) move(root.current, selector, step);
  };
  useShortcut({ keys: 'n', label: 'Next file', group, repeats: true }, () => go('[data-file]', 1));
  useShortcut({ keys: 'p', label: 'Previous file', group, repeats: true }, () =>
    go('[data-file]', -1),
  );
  useShortcut({ keys: ']', label: 'Next hunk', group, repeats: true }, () => go('[data-hunk]', 1));
  useShortcut({ keys: '[', label: 'Previous hunk', group, repeats: true }, () =>
    go('[data-hunk]', -1),
  );
  useListedKey('c', 'Comment on the focused line', group);
  useListedKey('arrowdown', 'Next line', group);
  useListedKey('arrowup', 'Previous line', group);
  useShortcut({ keys: 'u', label: 'Switch between unified and split', group }, () =>
    view.setLayout(view.layout === 'unified' ? 'split' : 'unified'),
  );
  useShortcut({ keys: 'w', label: 'Toggle wrapping of long lines', group }, () =>
    view.setWrap(!view.wrap),
  );
}

/** Where the reading begins: below the bar that stays. */
const TOP = 110;

function move(root: HTMLElement, selector: string, step: 1 | -1): void {
  const all = [...root.querySelectorAll<HTMLElement>(selector)];
  const tops = all.map((element) => element.getBoundingClientRect().top - TOP);
  const index = step > 0 ? tops.findIndex((top) => top > 8) : tops.findLastIndex((top) => top < -8);
  const target = all[index];
  if (!target) return;
  reveal(target);
}
