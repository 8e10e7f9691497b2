import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { TraceNode } from '@/model/trace/trace-node';
import { nextFailure, rowsOf, type TraceRow, waysToFailures } from '@/model/trace/trace-rows';
import type { VirtualListHandle } from '@/ui/virtual-list';

export type OpenTrace = {
  run: string;
  rows: TraceRow[];
  list: RefObject<VirtualListHandle | null>;
  toggle: (key: string) => void;
  /** Opens the way to every failure, and goes to the next one. */
  showFailure: () => void;
  /** Shows the messages of a conversation. */
  onRead: (session: string) => void;
};

/** Which parts of the tree are open; the same for the timeline and the tree. */
export function useOpenTrace(
  run: string,
  root: TraceNode,
  onRead: (session: string) => void,
): OpenTrace {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => rowsOf(root, opened), [root, opened]);
  const list = useRef<VirtualListHandle>(null);
  /** How often a failure was asked for; the row that was shown last. */
  const [asked, setAsked] = useState(0);
  const last = useRef(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it was asked for, with the rows as they are then.
  useEffect(() => {
    if (asked === 0) return;
    last.current = nextFailure(rows, last.current);
    if (last.current >= 0) list.current?.focusIndex(last.current);
  }, [asked]);
  const toggle = (key: string) =>
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const showFailure = () => {
    setOpened((before) => new Set([...before, ...waysToFailures(root)]));
    setAsked(asked + 1);
  };
  return { run, rows, list, toggle, showFailure, onRead };
}
