// The log of one run as far as it is known here, and everything that is folded from it. Knows no React and no network.

import { Transcript } from '@/model/stream/transcript';
import type { LogEvent } from '@/wire/LogEvent';
import type { DeltaKind } from '@/wire/log/DeltaKind';
import type { RunView } from '@/wire/log/RunView';
import { Facts } from './facts';
import { applyToView, copyView, emptyView } from './run-view';

/** A view is kept after so many events, so that going back folds few. */
const SNAPSHOT_INTERVAL = 250;
/** What is being said is shown from its end; a longer piece is cut at its front. */
const MAX_LIVE_CHARS = 20_000;

/** What an agent is saying, thinking or printing right now; not in the log yet. */
export type LivePiece = { agent: string; kind: DeltaKind; text: string };

/** An agent may have several conversations at a time: each says something of its own. */
const speaker = (agent: string, session: string | null | undefined) => `${session ?? ''} ${agent}`;

/** Nothing is at work after it. */
function isStop({ kind, session }: LogEvent): boolean {
  if (!('run' in kind) || typeof kind.run === 'string' || session != null) return false;
  const { run } = kind;
  return 'paused' in run || 'completed' in run || 'failed' in run || 'cancelled' in run;
}

export class RunLog {
  readonly run: string;
  readonly events: LogEvent[] = [];
  readonly view: RunView = emptyView();
  readonly transcript = new Transcript();
  readonly facts = new Facts();
  /** By who speaks, in which conversation. */
  readonly live = new Map<string, LivePiece>();
  /** Grows with every change; components that show the log compare it. */
  version = 0;
  private readonly kept: { index: number; view: RunView }[] = [];
  private readonly words = new Map<string, string>();

  constructor(run: string) {
    this.run = run;
  }

  get lastSeq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  /** Takes what follows; what is known already is dropped. Returns how many were new. */
  append(batch: LogEvent[]): number {
    let count = 0;
    let last = this.lastSeq;
    for (const event of batch) {
      if (event.seq <= last) continue;
      last = event.seq;
      this.take(event);
      count += 1;
    }
    if (count > 0) this.version += 1;
    return count;
  }

  /** A piece of what is being said. */
  say(agent: string, kind: DeltaKind, text: string, session?: string | null): void {
    const key = speaker(agent, session);
    const known = this.live.get(key);
    const before = known?.kind === kind ? known.text : '';
    this.live.set(key, { agent, kind, text: (before + text).slice(-MAX_LIVE_CHARS) });
    this.version += 1;
  }

  /** Where the run stood after the event `seq`. */
  viewAt(seq: number): RunView {
    const end = this.indexAfter(seq);
    const from = this.kept.findLast(({ index }) => index <= end);
    const view = from ? copyView(from.view) : emptyView();
    for (const event of this.events.slice(from?.index ?? 0, end)) applyToView(view, event);
    return view;
  }

  /** How many events there are up to and with `seq`. */
  indexAfter(seq: number): number {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.events[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  eventAt(seq: number): LogEvent | undefined {
    const event = this.events[this.indexAfter(seq) - 1];
    return event?.seq === seq ? event : undefined;
  }

  private take(event: LogEvent): void {
    // The same few words stand in every event; once each is enough.
    event.run = this.shared(event.run);
    event.trace = this.shared(event.trace);
    event.agent = this.shared(event.agent);
    if (event.session != null) event.session = this.shared(event.session);
    if (this.events.length % SNAPSHOT_INTERVAL === 0 && this.events.length > 0) {
      this.kept.push({ index: this.events.length, view: copyView(this.view) });
    }
    this.events.push(event);
    applyToView(this.view, event);
    this.transcript.add(event, this.view.active_ms);
    this.facts.add(event);
    // What was on its way has come: the log has it now.
    if ('agent' in event.kind && !('used' in event.kind.agent))
      this.live.delete(speaker(event.agent, event.session));
    // Who was in the middle of a sentence does not finish it.
    if (isStop(event)) this.live.clear();
  }

  private shared(word: string): string {
    const known = this.words.get(word);
    if (known !== undefined) return known;
    this.words.set(word, word);
    return word;
  }
}
