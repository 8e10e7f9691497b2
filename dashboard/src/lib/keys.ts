// The registry of keyboard shortcuts: decides which one a key event means. Knows no React.
// A key never acts while the user types, in an open menu, or behind an open dialog, unless asked; and held down, it acts
// once, unless it only moves.
import { create } from 'zustand';

export type Shortcut = {
  id: string;
  /** `a`, `?`, `mod+k`, `shift+enter`, or a sequence: `g h`. */
  keys: string;
  label: string;
  group: string;
  /** Also while typing in a field. */
  inInputs?: boolean;
  /** Also while a dialog is open (for shortcuts of the dialog itself). */
  inDialogs?: boolean;
  /** Also again and again while the key is held down: for moving, never for deciding. */
  repeats?: boolean;
  /** Only listed: what has the focus hears the key itself. */
  onlyListed?: boolean;
  handler: (event: KeyboardEvent) => void;
};

type Registry = { shortcuts: Shortcut[] };
export const useShortcuts = create<Registry>(() => ({ shortcuts: [] }));

/** Adds a shortcut; the newest wins over an older one with the same keys. Returns how to remove it. */
export function registerShortcut(shortcut: Shortcut): () => void {
  useShortcuts.setState(({ shortcuts }) => ({ shortcuts: [...shortcuts, shortcut] }));
  return () =>
    useShortcuts.setState(({ shortcuts }) => ({
      shortcuts: shortcuts.filter((other) => other !== shortcut),
    }));
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
const patience = 1000;
let pending: { stroke: string; at: number } | null = null;

/** Runs the shortcut that this event completes. Returns whether the event was used. */
export function handleKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return false;
  if (isHeldOnControl(event)) {
    event.preventDefault();
    return true;
  }
  const stroke = strokeOf(event);
  const before = pending && event.timeStamp - pending.at < patience ? pending.stroke : null;
  pending = null;

  const usable = useShortcuts
    .getState()
    .shortcuts.filter((one) => isUsable(one, event))
    .reverse();
  const match =
    (before && usable.find((one) => normalise(one.keys) === `${before} ${stroke}`)) ||
    usable.find((one) => normalise(one.keys) === stroke);
  if (match) {
    event.preventDefault();
    if (!event.repeat || match.repeats) match.handler(event);
    return true;
  }
  if (usable.some((one) => normalise(one.keys).startsWith(`${stroke} `))) {
    pending = { stroke, at: event.timeStamp };
    event.preventDefault();
    return true;
  }
  return false;
}

function isUsable(shortcut: Shortcut, event: KeyboardEvent): boolean {
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (shortcut.onlyListed) return false;
  if (!shortcut.inDialogs && document.querySelector('[data-modal]')) return false;
  if (!target) return true;
  // A list of choices hears letters, too; and between two fields of a form, a key is still meant for the form.
  const isFilling = isTyping(target) || target.closest('form, [role="combobox"]') !== null;
  if (!shortcut.inInputs && isFilling) return false;
  if (target.closest('[role="menu"], [role="listbox"]')) return false;
  // Enter, space and arrows belong to the control that has the focus.
  const own = /^(enter|space|arrow\w+|home|end)$/.test(strokeOf(event));
  return !(
    own && target.closest('button, a, summary, [role="tab"], [role="radio"], [role="separator"]')
  );
}

/** A browser presses a button again and again while Enter is held, and each press may find another button there. */
function isHeldOnControl(event: KeyboardEvent): boolean {
  if (!event.repeat || (event.key !== 'Enter' && event.key !== ' ')) return false;
  return event.target instanceof HTMLElement && event.target.closest('button, a, summary') !== null;
}

export function isTyping(target: HTMLElement): boolean {
  if (target.isContentEditable || target.closest('textarea, select')) return true;
  const input = target.closest('input');
  return input !== null && !/^(checkbox|radio|button|submit|range|color|file)$/.test(input.type);
}

const isModifier = (key: string) => /^(Shift|Control|Alt|Meta|CapsLock|Dead)$/.test(key);

function strokeOf(event: KeyboardEvent): string {
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase();
  const printable = event.key.length === 1 && event.key !== ' ';
  const parts = [];
  if (isMac ? event.metaKey : event.ctrlKey) parts.push('mod');
  if (isMac ? event.ctrlKey : event.metaKey) parts.push(isMac ? 'ctrl' : 'meta');
  if (event.altKey) parts.push('alt');
  // With a sign such as `?`, shift is part of the sign; with a letter or a named key it counts.
  if (event.shiftKey && (!printable || /[a-z]/.test(key))) parts.push('shift');
  return [...parts, key].join('+');
}

function normalise(keys: string): string {
  return keys.trim().toLowerCase().replace(/\s+/g, ' ');
}

const signs: Record<string, string> = {
  mod: isMac ? '⌘' : 'Ctrl',
  shift: isMac ? '⇧' : 'Shift',
  alt: isMac ? '⌥' : 'Alt',
  enter: '↵',
  escape: 'Esc',
  space: 'Space',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
};

/** The strokes of `keys`, each as the caps to draw: `mod+k` gives `[['Ctrl', 'K']]`. */
export function keyCaps(keys: string): string[][] {
  return normalise(keys)
    .split(' ')
    .map((stroke) => stroke.split('+').map((key) => signs[key] ?? key.toUpperCase()));
}
