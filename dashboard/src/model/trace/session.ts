// One conversation of an agent, read as a whole: also what it said in other visits.

import { millis } from '@/model/event/event';
import { textOf } from '@/model/event/words';
import type { RunLog } from '@/model/run/run-log';
import { noSpend, plus, spendOf } from '@/model/run/run-view';
import type { SubSession } from '@/model/stream/sub-sessions';
import type { Item } from '@/model/stream/transcript';
import type { Spend } from '@/wire/log/Spend';
import type { Usage } from '@/wire/log/Usage';
import { visitsUntil } from './trace';

export type Session = {
  id: string;
  agent: string;
  /** If it is that of a sub-agent. */
  sub: SubSession | null;
  items: SessionItem[];
  spend: Spend;
  start: number;
  end: number;
};

export type SessionItem = {
  item: Item;
  /** Of the turn, at its words, or else at its first call. */
  usage: Usage | null;
  /** Its stage has ended. */
  isOver: boolean;
};

/** As of the event `seq`; `null` when it had not begun. */
export function sessionOf(log: RunLog, id: string, seq = Number.POSITIVE_INFINITY): Session | null {
  const items: SessionItem[] = [];
  let spend = noSpend();
  let usage: Usage | null = null;
  for (const { items: all, toSeq } of visitsUntil(log, seq)) {
    const isOver = toSeq !== null && toSeq <= seq;
    for (const item of all) {
      if (item.session !== id || item.seq > seq) continue;
      if (item.kind === 'text') {
        ({ usage } = item);
        if (usage) spend = plus(spend, spendOf(usage));
        // One that only calls has no words; its calls follow.
        if (textOf(item.message).trim() === '') continue;
      }
      items.push({ item, usage: item.kind === 'call' ? usage : null, isOver });
      if (item.kind === 'call' || item.kind === 'text') usage = null;
    }
  }
  const [first] = items;
  const last = items.at(-1)?.item;
  if (!first || !last) return null;
  const end = last.kind === 'call' ? (last.endSeq ?? last.seq) : last.seq;
  return {
    id,
    agent: first.item.agent,
    sub: log.transcript.subSessions.get(id) ?? null,
    items,
    spend,
    start: millis(first.item.at),
    end: millis(log.eventAt(end)?.at ?? last.at),
  };
}
