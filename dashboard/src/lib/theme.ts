// Light, dark, or the same as the system. `public/theme.js` does the same before the first paint.
import { create } from 'zustand';
import { remember, remembered } from '@/lib/storage';

export const themes = ['light', 'dark', 'system'] as const;
export type Theme = (typeof themes)[number];

const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value);
const prefersDark = () => window.matchMedia('(prefers-color-scheme: dark)');

function resolve(theme: Theme): 'light' | 'dark' {
  if (theme !== 'system') return theme;
  return prefersDark().matches ? 'dark' : 'light';
}

type ThemeState = { theme: Theme; resolved: 'light' | 'dark' };

/** The choice, and what it comes to now (for canvases, which cannot use CSS tokens by themselves). */
export const useTheme = create<ThemeState>(() => {
  const theme = remembered('theme', isTheme, 'system');
  return { theme, resolved: resolve(theme) };
});

function apply(theme: Theme): void {
  const resolved = resolve(theme);
  document.documentElement.dataset.theme = resolved;
  useTheme.setState({ theme, resolved });
}

export function setTheme(theme: Theme): void {
  remember('theme', theme);
  apply(theme);
}

/** Applies the remembered theme, and follows the system and the other tabs. Returns how to stop. */
export function startTheme(): () => void {
  const again = () => apply(remembered('theme', isTheme, 'system'));
  const media = prefersDark();
  again();
  media.addEventListener('change', again);
  window.addEventListener('storage', again);
  return () => {
    media.removeEventListener('change', again);
    window.removeEventListener('storage', again);
  };
}
