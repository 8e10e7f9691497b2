import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ComponentType, lazy, Suspense } from 'react';
import { afterEach, expect, it } from 'vitest';
import { setPaletteOpen, usePalette } from '@/lib/commands';
import { PaletteLoading } from './palette-loading';

afterEach(() => {
  cleanup();
  setPaletteOpen(false);
});

function show() {
  let arrive: (loaded: { default: ComponentType }) => void = () => {};
  const Loaded = lazy(
    () => new Promise<{ default: ComponentType }>((resolve) => (arrive = resolve)),
  );
  setPaletteOpen(true);
  render(
    <Suspense fallback={<PaletteLoading />}>
      <Loaded />
    </Suspense>,
  );
  return () => act(async () => arrive({ default: Palette }));
}

function Palette() {
  return <output>{usePalette((state) => state.text)}</output>;
}

it('takes what is typed before the palette is there', async () => {
  const arrive = show();
  await userEvent.keyboard('usx{Backspace}age');
  await arrive();
  expect(screen.getByRole('status').textContent).toBe('usage');
});

it('remembers Enter until something else is typed', async () => {
  show();
  await userEvent.keyboard('usage{Enter}');
  expect(usePalette.getState()).toMatchObject({ text: 'usage', isConfirmed: true });
  await userEvent.keyboard('s');
  expect(usePalette.getState()).toMatchObject({ text: 'usages', isConfirmed: false });
});

it('closes with Escape, and forgets the text', async () => {
  show();
  await userEvent.keyboard('usage{Escape}');
  expect(usePalette.getState()).toMatchObject({ open: false, text: '' });
});

it('keeps the focus', async () => {
  show();
  await userEvent.tab();
  expect(document.activeElement).toBe(screen.getByRole('textbox'));
});
