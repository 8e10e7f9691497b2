import type { KeyboardEvent } from 'react';

export type SliderMoves = {
  seek: (seq: number) => void;
  /** To the next mark in a direction. */
  toMark: (direction: 1 | -1) => void;
  toNow: () => void;
};

/** The keys of a slider, as the ARIA practices name them; pages go from mark to mark. */
export function sliderKeys(value: number, { seek, toMark, toNow }: SliderMoves) {
  const moves: Record<string, () => void> = {
    ArrowLeft: () => seek(value - 1),
    ArrowDown: () => seek(value - 1),
    ArrowRight: () => seek(value + 1),
    ArrowUp: () => seek(value + 1),
    PageDown: () => toMark(-1),
    PageUp: () => toMark(1),
    Home: () => seek(1),
    End: toNow,
  };
  return (event: KeyboardEvent) => {
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
}
