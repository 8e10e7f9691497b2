// All runs, live: what the server says about a run replaces what is known of it, in every list at once.

import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import type { Page } from '@/wire/Page';
import type { Pending } from '@/wire/Pending';
import type { RunSummary } from '@/wire/RunSummary';
import type { SaidOfBoard } from '@/wire/SaidOfBoard';
import type { SessionState } from '@/wire/SessionState';
import { setConnection, setSignedOut } from './connection';
import { perFrame } from './frames';
import { get, pathWith } from './http';
import { keys } from './keys';
import { Socket } from './socket';

/** A run that was heard of within so many milliseconds sends events all the time. */
const TALKATIVE = 200;

type Rows = InfiniteData<Page<RunSummary>>;

/** Keeps everything in `client` up to date until it is stopped. */
export function followBoard(client: QueryClient): () => void {
  let waiting: SaidOfBoard[] = [];
  let applied = 0;
  const apply = perFrame(() => {
    const all = waiting;
    waiting = [];
    applied = performance.now();
    for (const said of all) hear(client, said);
  });
  const socket = new Socket({
    path: () => pathWith('/ws/runs'),
    onFrame: (text) => {
      waiting.push(JSON.parse(text) as SaidOfBoard);
      // The first word after a quiet time is on the screen at once; of a run that talks without end, a few a second.
      apply(performance.now() - applied < TALKATIVE);
    },
    onState: (state) => {
      setConnection(state);
      if (state === 'lost') void askWhetherKnown();
    },
  });
  return () => socket.close();
}

/** A socket does not say why it was refused: perhaps the token is another one by now. */
async function askWhetherKnown(): Promise<void> {
  try {
    const session = await get<SessionState>('/session/state');
    if (!session.is_signed_in) setSignedOut(true);
  } catch {
    // The server is not there; the socket tries again.
  }
}

function hear(client: QueryClient, said: SaidOfBoard): void {
  switch (said.type) {
    case 'ready':
      // Everything that happened while the connection was lost.
      client.invalidateQueries();
      for (const queryKey of [keys.runs, keys.inbox, keys.everyRun])
        readAgainAfterFirst(client, queryKey);
      return;
    case 'run':
      putRun(client, said.run, said.pending);
      return;
    case 'removed':
      client.removeQueries({ queryKey: keys.run(said.id) });
      client.invalidateQueries({ queryKey: keys.runs });
      client.invalidateQueries({ queryKey: keys.inbox });
      return;
    case 'ping':
      return;
  }
}

function putRun(client: QueryClient, run: RunSummary, pending: Pending[]): void {
  let isKnown = false;
  client.setQueriesData<Rows>({ queryKey: keys.runs }, (rows) => {
    if (!rows) return rows;
    const pages = rows.pages.map((page) => {
      if (!page.items.some((item) => item.id === run.id)) return page;
      isKnown = true;
      const items = page.items.map((item) => (item.id === run.id ? replaced(item, run) : item));
      return { ...page, items };
    });
    return { ...rows, pages };
  });
  if (!isKnown) client.invalidateQueries({ queryKey: keys.runs });
  // Another list may know a run that the list of all runs lacks: its own answer was lost, or older.
  const all = keys.list({});
  if (isKnown && lacks(client.getQueryData<Rows>(all), run))
    client.invalidateQueries({ queryKey: all, exact: true });
  readAgainIfUnderWay(client);
  client.setQueryData<Pending[]>(keys.inbox, (all) => {
    if (!all) return all;
    const others = all.filter((one) => one.workflow_id !== run.id);
    return [...others, ...pending].sort((a, b) => a.requested_at.localeCompare(b.requested_at));
  });
  refresh(client, run.id);
}

/** Whether a run is missing in a list of all runs, newest first, as far as it was read. */
function lacks(rows: Rows | undefined, run: RunSummary): boolean {
  if (!rows || run.is_archived) return false;
  const items = rows.pages.flatMap((page) => page.items);
  if (items.some((item) => item.id === run.id)) return false;
  const last = items.at(-1);
  return !last || !rows.pages.at(-1)?.next_cursor || run.created_at >= last.created_at;
}

/** What is said of a run does not tell whether its merge was undone: as long as it is the same merge, that is kept. */
export function replaced(before: RunSummary, now: RunSummary): RunSummary {
  const undone = before.merged?.undone ?? null;
  if (!now.merged || undone === null || before.merged?.commit !== now.merged.commit) return now;
  return { ...now, merged: { ...now.merged, undone } };
}

/** An answer that is under way may be older than what was just said, and would replace it: it is asked for again. */
function readAgainIfUnderWay(client: QueryClient): void {
  for (const queryKey of [keys.runs, keys.inbox]) {
    if (client.isFetching({ queryKey }) === 0) continue;
    readAgain(client, queryKey, 150, 2_000);
  }
}

type Due = { timer: number; since: number };
const due = new Map<string, Due>();

/** Acts after `rest` milliseconds without another call, or after `most` of them at the latest. */
function whenRested(key: string, rest: number, most: number, act: () => void): void {
  const now = performance.now();
  const known = due.get(key);
  if (known) clearTimeout(known.timer);
  const since = known?.since ?? now;
  const wait = Math.min(rest, Math.max(0, since + most - now));
  const timer = window.setTimeout(() => {
    due.delete(key);
    act();
  }, wait);
  due.set(key, { timer, since });
}

/** A first answer that is under way would be taken for the new one, however old it is: it is asked for again after it. */
function readAgainAfterFirst(client: QueryClient, queryKey: QueryKey): void {
  for (const query of client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })) {
    if (query.state.data !== undefined) continue;
    const again = () => client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    query.promise?.then(again, () => undefined);
  }
}

/** Reads it again when it has rested. */
function readAgain(client: QueryClient, queryKey: QueryKey, rest: number, most: number): void {
  whenRested(JSON.stringify(queryKey), rest, most, () => {
    readAgainAfterFirst(client, queryKey);
    void client.invalidateQueries({ queryKey });
  });
}

/** How a run stands is read again soon; what it has made costs the server more, and is read again when that has rested. */
function refresh(client: QueryClient, run: string): void {
  readAgain(client, keys.detail(run), 150, 500);
  readAgain(client, keys.run(run), 700, 4_000);
}
