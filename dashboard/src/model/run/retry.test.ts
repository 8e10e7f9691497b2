// A model that does not answer is named until its agent does something.

import { describe, expect, it } from 'vitest';
import type { LogEvent } from '@/wire/LogEvent';
import { applyToView, emptyView } from './run-view';

let seq = 0;

function event(agent: string, kind: object): LogEvent {
  seq += 1;
  const at = '2026-01-01T00:00:00Z';
  return { seq, at, agent, kind, summary: '' } as unknown as LogEvent;
}

const retry = (agent: string) =>
  event(agent, { system: { warned: { message: 'cannot reach m', details: { retry: true } } } });

describe('a retry', () => {
  it('is shown until its agent does something', () => {
    const view = emptyView();
    applyToView(view, retry('developer'));
    expect(view.retry?.text).toBe('cannot reach m');
    applyToView(view, event('system', { system: { warned: { message: 'another warning' } } }));
    applyToView(view, event('reviewer', { agent: { thought: { text: 'hm' } } }));
    expect(view.retry?.agent).toBe('developer');
    applyToView(view, event('developer', { agent: { thought: { text: 'hm' } } }));
    expect(view.retry).toBeUndefined();
  });

  it('ends with the run', () => {
    const view = emptyView();
    applyToView(view, retry('developer'));
    applyToView(view, event('system', { run: { cancelled: {} } }));
    expect(view.retry).toBeUndefined();
  });
});
