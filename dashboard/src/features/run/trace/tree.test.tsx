import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter, useLocation } from 'react-router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RunLog } from '@/model/run/run-log';
import { childId } from '@/model/stream/child-id';
import { traceOf } from '@/model/trace/trace';
import { agentEvent, entered, eventOf, said } from '@/test/events';
import { SessionSheet } from './session-sheet';
import { Tree } from './tree';
import { useOpenTrace } from './use-open-trace';

const SUB = childId('manager-1', 1, 'c1');
const ofSub = { agent: 'writer', step: 1, session: SUB };

function logOf(): RunLog {
  const log = new RunLog('run');
  const { kind } = said(5, 1, 'writer', 'Rivers are long.');
  log.append([
    entered(1, 'plan', 1),
    said(2, 1, 'manager', 'You can do this.'),
    agentEvent(3, 1, 'manager', {
      called: { id: 'c1', tool: 'delegate', args: { agent: 'writer', task: 'Write it.' } },
    }),
    eventOf(4, { run: 'started' }, ofSub),
    eventOf(5, kind, ofSub),
    agentEvent(6, 1, 'manager', {
      returned: { call: 'c1', tool: 'delegate', output: '', error: 'it is late' },
    }),
  ]);
  return log;
}

const read = vi.fn();

function View({ log }: { log: RunLog }) {
  const trace = useOpenTrace('run', traceOf(log, false), read);
  return (
    <>
      <button type="button" onClick={trace.showFailure}>
        Failures
      </button>
      <Tree trace={trace} onSeek={() => undefined} />
      <output>{useLocation().search}</output>
    </>
  );
}

const shown = (ui: React.ReactNode) =>
  render(<MemoryRouter initialEntries={['/runs/run']}>{ui}</MemoryRouter>);

// A list draws as much as it is high.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(800);
});
afterEach(() => {
  vi.restoreAllMocks();
  read.mockReset();
  cleanup();
});

it('is closed at first, opens the way to a failure, and leads to the event in the stream', async () => {
  shown(<View log={logOf()} />);
  expect(screen.getByText('plan')).toBeTruthy();
  expect(screen.queryByText('delegate')).toBeNull();
  // The failure is seen before anything is opened.
  expect(screen.getAllByTitle('1 failed call')).toHaveLength(2);
  await userEvent.click(screen.getByRole('button', { name: 'Failures' }));
  expect(screen.getByText('it is late')).toBeTruthy();
  await userEvent.click(screen.getByText('delegate'));
  expect(screen.getByText('?seq=3')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Open delegate' }));
  await userEvent.click(screen.getByRole('button', { name: 'Read the messages of Writer' }));
  expect(read).toHaveBeenCalledWith(SUB);
});

it('reads a conversation, and goes on to the sub-agent', async () => {
  const log = logOf();
  const sheet = (session: string) => (
    <SessionSheet
      log={log}
      version={1}
      at={null}
      session={session}
      onOpen={read}
      onClose={() => undefined}
    />
  );
  const { rerender } = shown(sheet('manager-1'));
  expect(screen.getByRole('dialog', { name: 'Manager' }).textContent).toContain('You can do this.');
  await userEvent.click(screen.getByRole('button', { name: 'Read the messages of Writer' }));
  expect(read).toHaveBeenCalledWith(SUB);
  rerender(<MemoryRouter>{sheet(SUB)}</MemoryRouter>);
  expect(screen.getByRole('dialog', { name: 'Writer' }).textContent).toContain('Rivers are long.');
  rerender(<MemoryRouter>{sheet('gone')}</MemoryRouter>);
  expect(screen.getByText('No messages')).toBeTruthy();
});
