import { afterEach, describe, expect, it, vi } from 'vitest';
import { handleKey, keyCaps, registerShortcut, type Shortcut } from '@/lib/keys';

const cleanups: (() => void)[] = [];
function bind(keys: string, more: Partial<Shortcut> = {}) {
  const handler = vi.fn();
  const shortcut = { id: keys, keys, label: keys, group: 'Test', handler, ...more };
  cleanups.push(registerShortcut(shortcut));
  return handler;
}
function press(key: string, init: KeyboardEventInit = {}, target: Element = document.body) {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
  target.addEventListener('keydown', (e) => e instanceof KeyboardEvent && handleKey(e), {
    once: true,
  });
  target.dispatchEvent(event);
  return event;
}
function put(html: Element) {
  document.body.append(html);
  cleanups.push(() => html.remove());
  return html;
}
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

describe('shortcuts', () => {
  it('runs the newest binding of a key, and the older one again when it leaves', () => {
    const older = bind('a');
    const newer = bind('a');
    press('a');
    expect([older.mock.calls.length, newer.mock.calls.length]).toEqual([0, 1]);
    cleanups.pop()?.();
    press('a');
    expect(older).toHaveBeenCalledOnce();
  });

  it('leaves a key alone that is only listed', () => {
    const listed = bind('arrowdown', { onlyListed: true });
    expect(press('ArrowDown').defaultPrevented).toBe(false);
    expect(listed).not.toHaveBeenCalled();
  });

  it('runs a sequence, and not its second key alone', () => {
    const home = bind('g h');
    press('h');
    expect(home).not.toHaveBeenCalled();
    press('g');
    press('h');
    expect(home).toHaveBeenCalledOnce();
  });

  it('leaves the keys alone while the user types, unless asked', () => {
    const approve = bind('a');
    const palette = bind('mod+k', { inInputs: true });
    const input = put(document.createElement('input'));
    expect(press('a', {}, input).defaultPrevented).toBe(false);
    press('k', { ctrlKey: true }, input);
    expect(approve).not.toHaveBeenCalled();
    expect(palette).toHaveBeenCalledOnce();
  });

  it('leaves the keys alone on every control of a form, and on a list of choices', () => {
    const pause = bind('p');
    const form = put(document.createElement('form'));
    const box = form.appendChild(document.createElement('button'));
    press('p', {}, box);
    const choices = put(document.createElement('button'));
    choices.setAttribute('role', 'combobox');
    press('p', {}, choices);
    expect(pause).not.toHaveBeenCalled();
  });

  it('does not reach behind an open dialog', () => {
    const behind = bind('a');
    const inside = bind('b', { inDialogs: true });
    const dialog = put(document.createElement('div'));
    dialog.setAttribute('data-modal', '');
    press('a');
    press('b');
    expect(behind).not.toHaveBeenCalled();
    expect(inside).toHaveBeenCalledOnce();
  });

  it('takes modifiers exactly: the browser keeps its own shortcuts', () => {
    const reject = bind('r');
    const help = bind('?');
    expect(press('r', { ctrlKey: true }).defaultPrevented).toBe(false);
    press('R', { shiftKey: true });
    press('?', { shiftKey: true });
    expect(reject).not.toHaveBeenCalled();
    expect(help).toHaveBeenCalledOnce();
  });

  it('presses a button once while Enter or space is held, and repeats only what moves', () => {
    const send = bind('s');
    const next = bind('j', { repeats: true });
    const button = put(document.createElement('button'));
    expect(press('Enter', {}, button).defaultPrevented).toBe(false);
    expect(press('Enter', { repeat: true }, button).defaultPrevented).toBe(true);
    expect(press(' ', { repeat: true }, button).defaultPrevented).toBe(true);
    for (const key of ['s', 'j']) {
      press(key);
      press(key, { repeat: true });
    }
    expect([send.mock.calls.length, next.mock.calls.length]).toEqual([1, 2]);
  });

  it('draws the caps of a shortcut', () => {
    expect(keyCaps('mod+k')).toEqual([['Ctrl', 'K']]);
    expect(keyCaps('g h')).toEqual([['G'], ['H']]);
  });
});
