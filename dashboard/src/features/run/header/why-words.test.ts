import { describe, expect, it } from 'vitest';
import { emptyView } from '@/model/run-view';
import { standingOf } from '@/model/standing';
import { detailOf } from '@/test/detail';
import type { RunView } from '@/wire/log/RunView';
import { whyInWords } from './why-words';

const why = (waiting_for: string, message = 'go on?') => ({
  waiting_for,
  since: null,
  message,
  unblock: '',
});

describe('why a run stands still', () => {
  it.each<[RunView['status'], string, string | null, boolean]>([
    [{ waiting: 'approval' }, 'approval', 'The plan waits for you. Go on?', false],
    [{ waiting: 'question' }, 'question', 'An agent asks you. Go on?', true],
    [{ waiting: 'rounds' }, 'rounds', 'The rounds are used up. Go on?', true],
    [{ waiting: 'budget' }, 'budget', 'The budget is used up. Go on?', false],
    [{ waiting: 'pause' }, 'pause', 'Paused. Nothing is lost.', false],
    ['pending', 'start', 'Not started. It waits until you start it.', false],
    ['pending', 'turn', 'Queued. It starts by itself when fewer runs are at work.', false],
    [
      'running',
      'resume',
      'Interrupted. Nobody is at it. Resume it, and it goes on where it was.',
      false,
    ],
    ['running', 'work', null, false],
    ['completed', '', null, false],
  ])('%j, waiting for %s', (status, waits, words, isAnswered) => {
    const detail = detailOf({ why: why(waits) });
    const said = whyInWords(detail, standingOf(detail, { ...emptyView(), status }));
    expect(said && `${said.title} ${said.message}`).toBe(words);
    expect(said?.isAnswered ?? false).toBe(isAnswered);
  });

  it('says how it failed', () => {
    const detail = detailOf({ why: why('retry') });
    const view: RunView = {
      ...emptyView(),
      status: 'failed',
      failure: { code: 'x', message: 'no way' },
    };
    expect(whyInWords(detail, standingOf(detail, view))?.message).toBe('No way');
  });
});
