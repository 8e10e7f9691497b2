import { useCallback, useState } from 'react';
import { isBoolean, remember, remembered } from '@/lib/storage';
import { useMedia } from '@/lib/use-media';
import type { DiffFile } from '@/model/diff/unified-diff';
import type { DiffLayout } from './diff-code';

const isLayout = (value: unknown): value is DiffLayout => value === 'unified' || value === 'split';

/** How changes are shown, which is remembered; and which files are open, which is not. */
export function useDiffView() {
  const [layout, setLayout] = useState(() => remembered('diff.layout', isLayout, 'unified'));
  const [wrap, setWrap] = useState(() => remembered('diff.wrap', isBoolean, true));
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const open = useCallback(
    (path: string, isOpen: boolean) => setOpened((all) => new Map(all).set(path, isOpen)),
    [],
  );
  // Two columns need room.
  const hasRoom = useMedia('(width >= 48rem)');
  return {
    layout: hasRoom ? layout : 'unified',
    wrap,
    opened,
    setLayout: (next: DiffLayout) => {
      setLayout(next);
      remember('diff.layout', next);
    },
    setWrap: (next: boolean) => {
      setWrap(next);
      remember('diff.wrap', next);
    },
    open,
    openAll: (files: DiffFile[], isOpen: boolean) =>
      setOpened(new Map(files.map(({ path }) => [path, isOpen]))),
  };
}

export type DiffView = ReturnType<typeof useDiffView>;
