import { useMemo, useState } from 'react';
import { formatDuration, formatMoney, formatTokens } from '@/lib/format';
import type { RunLog } from '@/model/run/run-log';
import { type Session, sessionOf } from '@/model/trace/session';
import { priceOf } from '@/model/trace/trace-rows';
import { agentName } from '@/ui/agent-token';
import { EmptyState } from '@/ui/empty-state';
import { Sheet } from '@/ui/sheet';
import { VirtualList } from '@/ui/virtual-list';
import { SessionRow } from './session-row';

type SessionSheetProps = {
  log: RunLog;
  /** Stands for the log, which stays the same object. */
  version: number;
  at: number | null;
  /** The conversation that is read; `null` is none. */
  session: string | null;
  onOpen: (session: string) => void;
  onClose: () => void;
};

/** The messages of one conversation, from its task to its last word. */
export function SessionSheet(props: SessionSheetProps) {
  const { log, version, at, session: id, onOpen, onClose } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the log.
  const session = useMemo(
    () => (id === null ? null : sessionOf(log, id, at ?? undefined)),
    [log, version, id, at],
  );
  return (
    <Sheet
      open={id !== null}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={session ? agentName(session.agent) : 'Conversation'}
      description={session ? factsOf(session) : undefined}
      className="max-md:h-[85vh] md:w-160"
      isBare
    >
      {session ? (
        <Messages key={session.id} log={log} session={session} at={at} onOpen={onOpen} />
      ) : (
        <EmptyState title="No messages">
          This conversation is not in the log at the moment that is shown.
        </EmptyState>
      )}
    </Sheet>
  );
}

type MessagesProps = {
  log: RunLog;
  session: Session;
  at: number | null;
  onOpen: (session: string) => void;
};

function Messages({ log, session, at, onOpen }: MessagesProps) {
  const { items, sub } = session;
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const toggle = (seq: number) =>
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(seq)) next.add(seq);
      return next;
    });
  return (
    <div className="flex h-full flex-col">
      {sub?.task && (
        <p className="max-h-40 shrink-0 overflow-y-auto border-b border-line bg-sunken px-5 py-2.5 text-xs wrap-anywhere whitespace-pre-wrap">
          <span className="font-medium">Task: </span>
          {sub.task}
        </p>
      )}
      <VirtualList
        label="Messages"
        className="min-h-0 flex-1"
        count={items.length}
        itemKey={(index) => items[index]?.item.seq ?? index}
        estimateSize={estimate}
        endSpace={16}
        renderItem={(index) => {
          const one = items[index];
          if (!one) return null;
          const { seq } = one.item;
          return (
            <SessionRow
              {...{ log, at, onOpen }}
              {...one}
              isOpen={opened.has(seq)}
              onToggle={() => toggle(seq)}
            />
          );
        }}
      />
      {sub?.failure && (
        <p className="shrink-0 border-t border-line bg-failed-soft px-5 py-2.5 text-xs wrap-anywhere text-failed">
          Failed: {sub.failure}
        </p>
      )}
    </div>
  );
}

function factsOf({ sub, spend, start, end, items }: Session): string {
  const facts = [
    sub ? 'Sub-agent' : 'Agent',
    `${items.length} ${items.length === 1 ? 'message' : 'messages and calls'}`,
    formatDuration(end - start),
    ...(spend.tokens > 0 ? [`${formatTokens(spend.tokens)} tokens`] : []),
    ...(spend.calls > 0 && priceOf(spend) !== null ? [formatMoney(priceOf(spend))] : []),
  ];
  return facts.join(' · ');
}

const estimate = () => 36;
