// The conversations in a visit of a stage: their turns, the calls of each turn, and under a call the sub-agent that it started.

import { millis } from '@/model/event/event';
import { brief, oneLine, textOf } from '@/model/event/words';
import type { RunLog } from '@/model/run/run-log';
import { noSpend, plus, spendOf } from '@/model/run/run-view';
import type { SubSession } from '@/model/stream/sub-sessions';
import type { CallItem, Item, Visit } from '@/model/stream/transcript';
import { timeAt } from '@/model/stream/visit-snapshot';
import {
  endOf,
  errorsOf,
  isAny,
  type Outcome,
  spendOfAll,
  type TraceNode,
  timeTaken,
  together,
} from './trace-node';

/** Where what is still open is looked at from: what does not continue is drawn up to the end of the log. */
export type Moment = { left: Outcome; seq: number };

type Scene = { log: RunLog; visit: Visit; moment: Moment; bySession: Map<string, Item[]> };

export const timeOf = (log: RunLog, seq: number) =>
  Number.isFinite(seq) ? timeAt(log, seq) : null;

/** Those that no call of another agent started; the others are under their calls. */
export function sessionsOf(
  log: RunLog,
  visit: Visit,
  items: Item[],
  key: string,
  moment: Moment,
): TraceNode[] {
  const roots = new Map<string, Item[]>();
  const bySession = new Map<string, Item[]>();
  for (const item of items) {
    if (item.kind !== 'text' && item.kind !== 'call') continue;
    const sub = log.transcript.subSessions.get(item.session);
    if (sub) put(bySession, sub.id, item);
    else put(roots, `${item.agent} ${item.session ?? ''}`, item);
  }
  const scene = { log, visit, moment, bySession };
  return [...roots].map(([name, own]) => {
    const [first] = own;
    const turns = turnsOf(scene, own, `${key}/${name}`);
    const agent = first?.agent ?? '';
    const node = together(`${key}/${name}`, 'session', agent, turns);
    const session = first?.session ?? null;
    return { ...node, agent, session, count: 1, children: () => turns };
  });
}

function put(lists: Map<string, Item[]>, name: string, item: Item): void {
  const list = lists.get(name);
  if (list) list.push(item);
  else lists.set(name, [item]);
}

type Turn = { said: Extract<Item, { kind: 'text' }> | null; calls: CallItem[] };

/** A turn is what an agent says, and the calls that come of it. */
function turnsOf(scene: Scene, items: readonly Item[], key: string): TraceNode[] {
  const turns: Turn[] = [];
  for (const item of items) {
    if (item.kind === 'text') turns.push({ said: item, calls: [] });
    else if (item.kind === 'call') {
      const last = turns.at(-1);
      if (last) last.calls.push(item);
      else turns.push({ said: null, calls: [item] });
    }
  }
  return turns.map((turn, index) => turnOf(scene, turn, index, `${key}/t${index}`));
}

function turnOf(scene: Scene, { said, calls }: Turn, index: number, key: string): TraceNode {
  const below = calls.map((call) => callOf(scene, call, key));
  const usage = said?.usage ?? null;
  const thought = usage?.duration_ms ?? 0;
  const text = said ? oneLine(textOf(said.message)) : '';
  // One without words is no row of the stream: its first call is.
  const shown = text === '' ? (calls[0] ?? said) : said;
  return {
    key,
    kind: 'turn',
    label: text === '' ? `Turn ${index + 1}` : text,
    about: null,
    agent: said?.agent ?? calls[0]?.agent ?? null,
    session: null,
    count: 1,
    start: said ? millis(said.at) - thought : (below[0]?.start ?? 0),
    end: below.length > 0 ? endOf(below) : said ? millis(said.at) : null,
    waits: [],
    durationMs: thought + timeTaken(below),
    spend: plus(usage ? spendOf(usage) : noSpend(), spendOfAll(below)),
    errors: errorsOf(below),
    outcome: (['open', 'waits', 'stopped'] as const).find((one) => isAny(below, one)) ?? 'good',
    seq: shown?.seq ?? 0,
    children: below.length === 0 ? null : () => below,
  };
}

function callOf(scene: Scene, item: CallItem, key: string): TraceNode {
  const { log, moment } = scene;
  const start = millis(item.at);
  const isBack = item.endSeq !== null && item.endSeq <= moment.seq;
  const result = isBack ? item.result : null;
  const ended = isBack ? log.eventAt(item.endSeq ?? 0) : undefined;
  const isOpen = result === null && isUnderWay(scene);
  const end = ended ? millis(ended.at) : isOpen ? timeOf(log, moment.seq) : start;
  const error = result?.error ?? null;
  const name = `${key}/c${item.seq}`;
  const sub = log.transcript.subSessions.of(item);
  const isStarted = sub !== undefined && sub.fromSeq <= moment.seq;
  const below = isStarted ? [subAgentOf(scene, sub, name)] : [];
  const words = brief(item.call).slice(item.call.tool.length).trim();
  return {
    key: name,
    kind: 'call',
    label: item.call.tool,
    about: (error === null ? words : oneLine(error)) || null,
    agent: item.agent,
    session: null,
    count: 1,
    start,
    end,
    durationMs: result?.duration_ms ?? (end === null ? null : end - start),
    waits: [],
    spend: spendOfAll(below),
    errors: (error === null ? 0 : 1) + errorsOf(below),
    outcome: isOpen ? leftOpen(moment) : error === null ? 'good' : 'bad',
    seq: item.seq,
    children: below.length > 0 ? () => below : null,
  };
}

const isUnderWay = ({ visit, moment }: Scene) => visit.toSeq === null || visit.toSeq > moment.seq;

/** What a failed run was at did not fail itself. */
const leftOpen = ({ left }: Moment): Outcome => (left === 'bad' ? 'stopped' : left);

function subAgentOf(scene: Scene, sub: SubSession, key: string): TraceNode {
  const { log, moment, bySession } = scene;
  const name = `${key}/${sub.id}`;
  const turns = turnsOf(scene, bySession.get(sub.id) ?? [], name);
  const node = together(name, 'session', sub.agent, turns);
  const isOver = sub.toSeq !== null && sub.toSeq <= moment.seq;
  const isOpen = !isOver && isUnderWay(scene);
  const failure = isOver ? sub.failure : null;
  const end = isOver ? timeAt(log, sub.toSeq ?? 0) : isOpen ? timeOf(log, moment.seq) : node.end;
  const settled: Outcome = failure !== null ? 'bad' : isOver ? 'good' : 'stopped';
  return {
    ...node,
    agent: sub.agent,
    session: sub.id,
    about: failure === null ? sub.task && oneLine(sub.task) : oneLine(failure),
    count: 1,
    start: timeAt(log, sub.fromSeq) ?? node.start,
    end,
    durationMs: timeTaken(turns),
    outcome: isOpen ? leftOpen(moment) : settled,
    seq: sub.fromSeq,
    children: turns.length > 0 ? () => turns : null,
  };
}
