import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import type { Pending } from '@/wire/Pending';
import type { RunSummary } from '@/wire/RunSummary';
import { followBoard, replaced } from './board';
import { keys } from './keys';

afterEach(() => vi.unstubAllGlobals());

/** A socket that says what the test wants. */
class ToldSocket {
  static last: ToldSocket;
  onmessage: (message: { data: string }) => void = () => undefined;
  constructor() {
    ToldSocket.last = this;
  }
  close(): void {}
}

const question = { request_id: 'q1', workflow_id: 'r1', requested_at: '2026-01-01' } as Pending;

test('an answer that was under way when a question came does not hide the question', async () => {
  vi.stubGlobal('WebSocket', ToldSocket);
  const client = new QueryClient();
  let inbox: Pending[] = [];
  let answer = (): void => undefined;
  const reader = new QueryObserver(client, {
    queryKey: keys.inbox,
    queryFn: () => {
      const read = inbox;
      return new Promise<Pending[]>((resolve) => {
        answer = () => resolve(read);
      });
    },
  });
  const stopReading = reader.subscribe(() => undefined);
  const stopFollowing = followBoard(client);

  const early = answer;
  inbox = [question];
  const run = { id: 'r1' };
  ToldSocket.last.onmessage({ data: JSON.stringify({ type: 'run', run, pending: inbox }) });
  await new Promise((resolve) => requestAnimationFrame(resolve));
  early();
  await vi.waitFor(() => {
    answer();
    expect(client.getQueryData(keys.inbox)).toEqual([question]);
  });

  stopFollowing();
  stopReading();
});

test('an answer for a run that was under way when the run changed is asked for again', async () => {
  vi.stubGlobal('WebSocket', ToldSocket);
  const client = new QueryClient();
  let status = 'running';
  const answers: (() => void)[] = [];
  const reader = new QueryObserver(client, {
    queryKey: keys.detail('r1'),
    queryFn: () => {
      const read = { status };
      return new Promise<typeof read>((resolve) => answers.push(() => resolve(read)));
    },
  });
  const stopReading = reader.subscribe(() => undefined);
  const stopFollowing = followBoard(client);

  status = 'completed';
  const run = { id: 'r1' };
  ToldSocket.last.onmessage({ data: JSON.stringify({ type: 'run', run, pending: [] }) });
  // The first answer is slower than the time after which the run is read again.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await vi.waitFor(() => {
    answers.at(-1)?.();
    expect(client.getQueryData(keys.detail('r1'))).toEqual({ status: 'completed' });
  });

  stopFollowing();
  stopReading();
});

test('an answer that was under way when the socket became ready is asked for again', async () => {
  vi.stubGlobal('WebSocket', ToldSocket);
  const client = new QueryClient();
  const answers: (() => void)[] = [];
  const reader = new QueryObserver(client, {
    queryKey: keys.detail('r1'),
    queryFn: () => {
      const read = answers.length;
      return new Promise<number>((resolve) => answers.push(() => resolve(read)));
    },
  });
  const stopReading = reader.subscribe(() => undefined);
  const stopFollowing = followBoard(client);

  ToldSocket.last.onmessage({ data: JSON.stringify({ type: 'ready' }) });
  await new Promise((resolve) => requestAnimationFrame(resolve));
  await new Promise((resolve) => requestAnimationFrame(resolve));
  answers[0]?.();
  await vi.waitFor(() => {
    answers.at(-1)?.();
    expect(client.getQueryData(keys.detail('r1'))).toBe(1);
  });

  stopFollowing();
  stopReading();
});

test('a list of all runs that lacks a run which another list knows is read again', async () => {
  vi.stubGlobal('WebSocket', ToldSocket);
  const client = new QueryClient();
  const run = { id: 'r1', created_at: '2026-01-01', is_archived: false } as RunSummary;
  const rows = (items: RunSummary[]) => ({
    pages: [{ items, next_cursor: null }],
    pageParams: [null],
  });
  const [all, open] = [keys.list({}), keys.list({ status: 'running' })];
  client.setQueryData(all, rows([]));
  client.setQueryData(open, rows([run]));
  const stopFollowing = followBoard(client);

  ToldSocket.last.onmessage({ data: JSON.stringify({ type: 'run', run, pending: [] }) });
  await vi.waitFor(() => expect(client.getQueryState(all)?.isInvalidated).toBe(true));
  expect(client.getQueryState(open)?.isInvalidated).toBe(false);

  client.setQueryData(all, rows([run]));
  ToldSocket.last.onmessage({ data: JSON.stringify({ type: 'run', run, pending: [] }) });
  await new Promise((resolve) => requestAnimationFrame(resolve));
  expect(client.getQueryState(all)?.isInvalidated).toBe(false);

  stopFollowing();
});

test('a merge that was undone stays undone until there is another merge', () => {
  const merged = { into: 'main', commit: 'c1', undone: null };
  const run = { id: 'r1', merged } as RunSummary;
  const undone = { ...run, merged: { ...merged, undone: 'removed' } } as RunSummary;
  expect(replaced(undone, run).merged?.undone).toBe('removed');
  const again = { ...run, merged: { ...merged, commit: 'c2' } } as RunSummary;
  expect(replaced(undone, again).merged?.undone).toBeNull();
  expect(replaced(run, run)).toBe(run);
});
