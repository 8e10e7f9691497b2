// What needs a person, over all runs: for the inbox, the tab's title and the sidebar alike, so that all agree.

import { useMemo } from 'react';
import { create } from 'zustand';
import { sharedList } from '@/lib/shared-list';
import { merged } from '@/model/board/board';
import { type InboxItem, type InboxRun, inboxOf } from '@/model/inbox/inbox';
import type { Pending } from '@/wire/Pending';
import { useInbox, useRuns } from './runs';

/** Failures that were dismissed in this browser. */
const dismissed = sharedList('dismissed');
export const dismiss = dismissed.add;
export const undismiss = dismissed.remove;

type Marks = {
  /** Answered here; the server may not have said so yet. */
  answered: ReadonlySet<string>;
  /** Why an answer was refused, by item. */
  refusals: ReadonlyMap<string, string>;
};
const useMarks = create<Marks>(() => ({ answered: new Set(), refusals: new Map() }));
export const useRefusals = () => useMarks((marks) => marks.refusals);

/** If it is still there by then, it was not the answer that it wanted. */
const ANSWER_TIMEOUT_MS = 6_000;

/** The item leaves at once, and is back with the reason when the server refuses. */
export async function answering(item: string, sent: Promise<unknown>): Promise<void> {
  mark(item, true, null);
  try {
    await sent;
    setTimeout(() => mark(item, false, null), ANSWER_TIMEOUT_MS);
  } catch (error) {
    mark(item, false, error instanceof Error ? error.message : 'The server refused it.');
  }
}

function mark(item: string, isAnswered: boolean, refusal: string | null): void {
  useMarks.setState(({ answered, refusals }) => {
    const nextAnswered = new Set(answered);
    const nextRefusals = new Map(refusals);
    if (isAnswered) nextAnswered.add(item);
    else nextAnswered.delete(item);
    if (refusal === null) nextRefusals.delete(item);
    else nextRefusals.set(item, refusal);
    return { answered: nextAnswered, refusals: nextRefusals };
  });
}

/** The same for one run, on its own page. What was put away is still true there. */
export function useAsked(run: InboxRun & { pending_requests: readonly Pending[] }): InboxItem[] {
  const answered = useMarks((marks) => marks.answered);
  return useMemo(
    () => inboxOf(run.pending_requests, [run], (id) => answered.has(id)),
    [run, answered],
  );
}

export type Attention = {
  items: InboxItem[];
  /** Not known yet. */
  isPending: boolean;
  error: Error | null;
  isRetrying: boolean;
  retry: () => void;
};

const FAILED = { status: 'failed' };

export function useAttention(): Attention {
  const inbox = useInbox();
  const recent = useRuns({});
  // Old failures are not forgotten because a hundred runs came after them.
  const failed = useRuns(FAILED);
  const hidden = dismissed.use((state) => state.names);
  const answered = useMarks((marks) => marks.answered);

  const items = useMemo(() => {
    const runs = [recent.data, failed.data].map(
      (data) => data?.pages.flatMap((page) => page.items) ?? [],
    );
    return inboxOf(inbox.data ?? [], merged(...runs), (id) => hidden.has(id) || answered.has(id));
  }, [inbox.data, recent.data, failed.data, hidden, answered]);

  return {
    items,
    isPending: inbox.isPending || recent.isPending,
    error: inbox.data ? null : inbox.error,
    isRetrying: inbox.isFetching,
    retry: () => {
      void inbox.refetch();
      void recent.refetch();
    },
  };
}
