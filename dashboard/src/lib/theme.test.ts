import { beforeEach, describe, expect, it, vi } from 'vitest';
import { setTheme, startTheme, useTheme } from '@/lib/theme';

function systemIs(dark: boolean) {
  const media = Object.assign(new EventTarget(), { matches: dark });
  vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
    Object.assign(media, {
      media: query,
      onchange: null,
      addListener: vi.fn(),
      removeListener: vi.fn(),
    }),
  );
  return media;
}
const shown = () => document.documentElement.dataset.theme;

beforeEach(() => localStorage.clear());

describe('the theme', () => {
  it('follows the system until a theme is chosen', () => {
    const media = systemIs(true);
    const stop = startTheme();
    expect(shown()).toBe('dark');
    media.matches = false;
    media.dispatchEvent(new Event('change'));
    expect(shown()).toBe('light');
    stop();
  });

  it('remembers the choice', () => {
    systemIs(false);
    setTheme('dark');
    expect(localStorage.getItem('amelia.theme')).toBe('"dark"');
    const stop = startTheme();
    expect([shown(), useTheme.getState().theme]).toEqual(['dark', 'dark']);
    stop();
  });

  it('survives rubbish in the storage', () => {
    systemIs(false);
    localStorage.setItem('amelia.theme', '{"a":');
    const stop = startTheme();
    expect(shown()).toBe('light');
    stop();
  });
});
