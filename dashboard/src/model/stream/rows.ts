// The stream of a run as rows: a header for every visit of a stage, and under it what was said and done. Grows with the
// log by what is new; only a filter that changes, or a visit that is folded, makes the rows again.

import { noteLabel } from '@/model/event/answer-label';
import { brief, textOf } from '@/model/event/words';
import type { RunLog } from '@/model/run/run-log';
import type { Item, Section, Visit } from './transcript';

/** `item` counts the items of a visit; `HEADER` is the visit itself. Both are lasting. */
export type Row = { section: number; item: number };

export const HEADER = -1;

export const ROW_KINDS = ['text', 'thinking', 'prompt', 'call', 'note'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

export type RowFilter = {
  text: string;
  /** Nothing: everybody. */
  agents: readonly string[];
  /** Nothing: everything. */
  kinds: readonly RowKind[];
};

export const NO_FILTER: RowFilter = { text: '', agents: [], kinds: [] };

export const isFiltering = (filter: RowFilter) =>
  filter.text.trim() !== '' || filter.agents.length > 0 || filter.kinds.length > 0;

export class Rows {
  readonly list: Row[] = [];
  /** Everybody who has spoken. */
  readonly agents: string[] = [];
  private readonly log: RunLog;
  private readonly filter: RowFilter;
  private readonly pattern: RegExp | null;
  private readonly folded: ReadonlySet<string>;
  private readonly isFiltered: boolean;
  /** How many events were looked at, and of every section how many items. */
  private read = 0;
  private sections = 0;
  private readonly taken: number[] = [];
  private readonly places = new Map<Section, number>();
  /** Calls without the words that are looked for, as long as nothing has come of them. */
  private unanswered: Row[] = [];

  constructor(
    log: RunLog,
    filter: RowFilter = NO_FILTER,
    folded: ReadonlySet<string> = new Set<string>(),
  ) {
    this.log = log;
    this.filter = filter;
    this.folded = folded;
    this.isFiltered = isFiltering(filter);
    this.pattern = patternOf(filter.text);
  }

  /** Takes what has arrived since; costs what is new. Returns whether the rows have changed. */
  update(): boolean {
    const { events, transcript } = this.log;
    const before = this.list.length;
    const touched = new Set<number>();
    // What happens to the run itself goes to the stage that is under way; later ones are looked at because they are new.
    if (this.sections > 0) touched.add(this.sections - 1);
    for (; this.sections < transcript.sections.length; this.sections += 1) {
      const section = transcript.sections[this.sections];
      if (!section) break;
      this.places.set(section, this.sections);
      this.taken.push(0);
      touched.add(this.sections);
    }
    for (; this.read < events.length; this.read += 1) {
      const step = events[this.read]?.step;
      const visit = step == null ? undefined : transcript.visits.get(step);
      const place = visit && this.places.get(visit);
      if (place !== undefined) touched.add(place);
    }
    for (const place of touched) this.take(place);
    this.lookAgain();
    return this.list.length !== before;
  }

  sectionOf(row: Row): Section | undefined {
    return this.log.transcript.sections[row.section];
  }

  itemOf(row: Row): Item | undefined {
    return itemIn(this.sectionOf(row), row.item);
  }

  keyAt(index: number): string {
    const row = this.list[index];
    return row ? keyOf(row) : `none:${index}`;
  }

  seqOf(row: Row): number {
    const section = this.sectionOf(row);
    if (section?.kind === 'visit' && row.item === HEADER) return section.fromSeq;
    return itemIn(section, row.item)?.seq ?? 0;
  }

  /** The row that shows what happened last up to `seq`; -1 when nothing had happened. */
  indexOf(seq: number): number {
    const { sections } = this.log.transcript;
    const place = lastBefore(sections.length, (at) => startOf(sections[at]) <= seq);
    if (place < 0) return -1;
    const section = sections[place];
    const items = section?.kind === 'visit' ? section.items : [];
    const item = lastBefore(items.length, (at) => (items[at]?.seq ?? 0) <= seq);
    return this.placeOf({ section: place, item: section?.kind === 'visit' ? item : 0 });
  }

  /** The header of the last visit of a node up to `seq`. */
  lastVisit(node: string, seq = Number.POSITIVE_INFINITY): number {
    const { sections } = this.log.transcript;
    const place = sections.findLastIndex(
      (section) => section.kind === 'visit' && section.node === node && section.fromSeq <= seq,
    );
    return place < 0 ? -1 : this.placeOf({ section: place, item: HEADER });
  }

  /** Where this row stands, or the last one before it. */
  private placeOf(row: Row): number {
    return lastBefore(this.list.length, (at) => {
      const other = this.list[at];
      return (
        other !== undefined &&
        (other.section < row.section || (other.section === row.section && other.item <= row.item))
      );
    });
  }

  private take(place: number): void {
    const section = this.log.transcript.sections[place];
    if (!section) return;
    if (section.kind === 'outside') {
      if ((this.taken[place] ?? 0) === 0 && this.shows(section.item)) {
        this.put({ section: place, item: 0 });
      }
      this.taken[place] = 1;
      return;
    }
    const header = { section: place, item: HEADER };
    const from = this.taken[place] ?? 0;
    if (from === 0 && !this.isFiltered && !this.has(header)) this.put(header);
    for (let at = from; at < section.items.length; at += 1) {
      const item = section.items[at];
      if (!item) break;
      this.meet(item);
      const row = { section: place, item: at };
      if (this.shows(item)) this.show(row);
      else if (isUnanswered(item) && this.pattern !== null) this.unanswered.push(row);
    }
    this.taken[place] = section.items.length;
  }

  /** Puts a row of a visit under its header, unless that is folded. */
  private show(row: Row): void {
    const header = { section: row.section, item: HEADER };
    if (this.isFiltered && !this.has(header)) this.put(header);
    if (!this.folded.has(keyOf(header))) this.put(row);
  }

  /** What has come of a call may have the words that the call had not. */
  private lookAgain(): void {
    if (this.unanswered.length === 0) return;
    const still: Row[] = [];
    for (const row of this.unanswered) {
      const item = this.itemOf(row);
      if (item && isUnanswered(item)) still.push(row);
      else if (item && this.shows(item)) this.show(row);
    }
    this.unanswered = still;
  }

  private meet(item: Item): void {
    if (item.kind !== 'note' && !this.agents.includes(item.agent)) this.agents.push(item.agent);
  }

  private has(row: Row): boolean {
    const known = this.list[this.placeOf(row)];
    return known !== undefined && known.section === row.section && known.item === row.item;
  }

  /** At the end as a rule; stages that work side by side write between each other's rows. */
  private put(row: Row): void {
    const last = this.list.at(-1);
    if (
      !last ||
      last.section < row.section ||
      (last.section === row.section && last.item < row.item)
    ) {
      this.list.push(row);
      return;
    }
    this.list.splice(this.placeOf(row) + 1, 0, row);
  }

  private shows(item: Item): boolean {
    // A turn that only calls tools has no words of its own: the calls are rows.
    if (item.kind === 'text' && textOf(item.message).trim() === '') return false;
    if (!this.isFiltered) return true;
    const { agents, kinds } = this.filter;
    if (kinds.length > 0 && !kinds.includes(item.kind)) return false;
    if (agents.length > 0 && !agents.includes(item.agent)) return false;
    return this.pattern === null || has(item, this.pattern);
  }
}

const isUnanswered = (item: Item) => item.kind === 'call' && item.result === null;

export const keyOf = (row: Row) => `${row.section}:${row.item}`;

export function itemIn(section: Section | undefined, item: number): Item | undefined {
  if (!section || item === HEADER) return undefined;
  return section.kind === 'visit' ? section.items[item] : section.item;
}

/** The cost of a turn is shown at its text; at the first call when it has none. */
export function usageAt(visit: Visit, at: number): (Item & { kind: 'text' }) | null {
  const item = visit.items[at];
  if (item?.kind === 'text') return item;
  const before = visit.items[at - 1];
  return before?.kind === 'text' && textOf(before.message).trim() === '' ? before : null;
}

function startOf(section: Section | undefined): number {
  if (!section) return 0;
  return section.kind === 'visit' ? section.fromSeq : section.item.seq;
}

/** The last index for which `holds` is true, when it is true for all before; -1 for none. */
function lastBefore(count: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function patternOf(text: string): RegExp | null {
  const wanted = text.trim();
  return wanted === '' ? null : new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
}

function has(item: Item, pattern: RegExp): boolean {
  switch (item.kind) {
    case 'prompt':
    case 'text':
      return item.message.parts.some((part) => 'text' in part && pattern.test(part.text.text));
    case 'thinking':
      return pattern.test(item.text);
    case 'call':
      return (
        pattern.test(brief(item.call)) ||
        (item.result !== null &&
          (pattern.test(item.result.output) || pattern.test(item.result.error ?? '')))
      );
    case 'note':
      return pattern.test(noteLabel(item.event, item.asked));
  }
}
