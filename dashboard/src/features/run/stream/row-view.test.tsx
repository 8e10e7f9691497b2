import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RunLog } from '@/model/run/run-log';
import { Rows } from '@/model/stream/rows';
import { agentEvent, entered, eventOf } from '@/test/events';
import type { LogEvent } from '@/wire/LogEvent';
import { RowView } from './row-view';

const started = [
  eventOf(1, { run: 'started' }),
  entered(2, 'develop', 1),
  agentEvent(3, 1, 'developer', { called: { id: 'c', tool: 'shell', args: { command: 'make' } } }),
];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** The row of the call, and whether it spins. */
function show(more: LogEvent[], isMoving: boolean) {
  const log = new RunLog('run');
  log.append([...structuredClone(started), ...more]);
  const rows = new Rows(log);
  rows.update();
  const index = rows.list.findIndex((row) => rows.itemOf(row)?.kind === 'call');
  const row = rows.list[index];
  if (!row) throw new Error('there is no call');
  const view = () => (
    <RowView
      log={log}
      rows={rows}
      at={null}
      row={row}
      before={rows.list[index - 1]}
      isOpen={false}
      isFolded={false}
      isMoving={isMoving}
      isWanted={false}
      onToggle={() => {}}
    />
  );
  const { container, rerender } = render(view());
  vi.advanceTimersByTime(1_000);
  rerender(view());
  return container.querySelector('.animate-spin') !== null;
}

describe('a call that went wrong', () => {
  const ended = (error: string) =>
    agentEvent(4, 1, 'developer', { returned: { call: 'c', tool: 'shell', output: '', error } });

  it('has failed', () => {
    show([ended('no such file')], true);
    expect(screen.getByText('failed')).toBeTruthy();
    expect(screen.queryByText('interrupted')).toBeNull();
  });

  it('was interrupted when the server died while it ran', () => {
    show([ended('interrupted, outcome unknown, check before repeating')], true);
    expect(screen.getByText('interrupted')).toBeTruthy();
    expect(screen.queryByText('failed')).toBeNull();
  });
});

describe('a call without a result', () => {
  it('spins while its run is at work', () => {
    expect(show([], true)).toBe(true);
  });

  it('does not spin in a run that was cancelled: it has no answer', () => {
    expect(show([eventOf(4, { run: { cancelled: {} } })], false)).toBe(false);
    expect(screen.getByText('no answer')).toBeTruthy();
  });

  it('does not spin in a run that waits, and may still be answered', () => {
    expect(show([eventOf(4, { run: { paused: { reason: 'question' } } })], false)).toBe(false);
    expect(screen.queryByText('no answer')).toBeNull();
  });
});
