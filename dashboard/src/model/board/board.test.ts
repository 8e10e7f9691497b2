import { describe, expect, it } from 'vitest';
import { summaryOf } from '@/test/summary';
import type { RunSummary } from '@/wire/RunSummary';
import { boardOf, columnOf, fits, merged, nameOfPath, toneOf } from './board';
import { inOrder, readOrder, writeOrder } from './run-sort';
import { whyItWaits } from './waiting';

const RUN = summaryOf();
const TASK = { id: '1', title: 'One', index: 0, total: 2 };
const waitsFor = (waiting_for: string, message = '') => ({
  why: { waiting_for, since: null, message, unblock: '' },
});

describe('the board', () => {
  it.each<[Partial<RunSummary>, string]>([
    [{ status: 'pending' }, 'queued'],
    [{ stages: ['start'] }, 'planning'],
    [{ stages: ['plan'] }, 'planning'],
    [{ stages: ['validate'], status: 'paused' }, 'planning'],
    [{ stages: [] }, 'planning'],
    [{ stages: [], task: TASK }, 'building'],
    [{ stages: ['approve'], status: 'awaiting_approval' }, 'approve'],
    [{ stages: ['develop'], status: 'awaiting_approval' }, 'building'],
    [{ stages: ['check'] }, 'building'],
    [{ stages: ['commit'] }, 'building'],
    [{ stages: ['finish'] }, 'building'],
    [{ stages: ['develop 1', 'review 2'] }, 'building'],
    [{ stages: ['review 1', 'evaluate 2'] }, 'reviewing'],
    [{ stages: ['review'], pipeline: 'review' }, 'reviewing'],
    [{ stages: [], pipeline: 'review' }, 'reviewing'],
    [{ stages: ['work'], pipeline: 'single' }, 'building'],
    [{ stages: ['somewhere'], pipeline: 'synthetic' }, 'building'],
    [{ status: 'completed' }, 'done'],
    [{ status: 'failed', stages: ['plan'] }, 'stopped'],
    [{ status: 'cancelled' }, 'stopped'],
  ])('puts %j in %s', (run, column) => {
    expect(columnOf({ ...RUN, ...run })).toBe(column);
  });

  it('has every column, also the empty ones', () => {
    const board = boardOf([RUN, { ...RUN, id: 'b', status: 'pending' }]);
    expect(board.map(({ runs }) => runs.length)).toEqual([1, 1, 0, 0, 0, 0, 0]);
  });

  it.each<[Partial<RunSummary>, string]>([
    [{}, 'running'],
    [waitsFor('resume'), 'paused'],
    [{ status: 'paused', ...waitsFor('pause') }, 'paused'],
    [{ status: 'paused', ...waitsFor('budget') }, 'needs-you'],
    [{ status: 'awaiting_approval' }, 'needs-you'],
    [{ status: 'pending' }, 'queued'],
  ])('colours %j as %s', (run, tone) => {
    expect(toneOf({ ...RUN, ...run })).toBe(tone);
  });

  it.each<[Partial<RunSummary>, string | null]>([
    [{}, null],
    [waitsFor('work', 'is at plan'), null],
    [waitsFor('start'), 'Not started yet'],
    [{ ...waitsFor('approval'), stages: ['approve'] }, 'Waiting for your approval of the plan'],
    [{ ...waitsFor('approval', 'Publish it?'), stages: ['ask'] }, 'Asks: Publish it?'],
    [
      { ...waitsFor('approval', 'Developer wants to use Bash: sleep 8'), stages: ['develop'] },
      'Asks to use Bash: sleep 8',
    ],
    [waitsFor('question', 'which port?'), 'Asks: Which port?'],
    [waitsFor('retry', 'openai-compatible is away\n  hint: later'), 'openai-compatible is away'],
    [
      waitsFor('budget', 'the time of 5 s is used up (6 s): continue?'),
      'The time of 5 s is used up (6 s)',
    ],
    // As logs of earlier versions have it.
    [
      waitsFor('budget', 'the time of 5 s is used up (6 s): go on?'),
      'The time of 5 s is used up (6 s)',
    ],
  ])('says of %j: %s', (run, words) => {
    expect(whyItWaits({ ...RUN, ...run })).toBe(words);
  });
});

describe('a filter', () => {
  const none = { status: '', profile: '', repository: '', text: '' };
  it.each([
    [none, true],
    [{ ...none, status: 'running' }, true],
    [{ ...none, status: 'waiting' }, false],
    [{ ...none, profile: 'crew', repository: '/src/sample' }, true],
    [{ ...none, profile: 'other' }, false],
    [{ ...none, text: ' demo-5 ' }, true],
    [{ ...none, text: 'NUMBERS' }, true],
    [{ ...none, text: 'words' }, false],
  ])('%j', (filter, isFit) => {
    expect(fits(RUN, filter)).toBe(isFit);
  });

  it('keeps of each run what was said last, newest run first', () => {
    const later = { ...RUN, updated_at: '2026-11-15T11:00:00Z', title: 'later' };
    const newer = { ...RUN, id: 'b', created_at: '2026-11-16T10:00:00Z' };
    expect(merged([later], [RUN, newer]).map(({ title }) => title)).toEqual([RUN.title, 'later']);
  });

  it('calls a repository by its last part', () => {
    expect(['/src/sample', '/src/sample/', 'C:\\src\\it', '/'].map(nameOfPath)).toEqual([
      'sample',
      'sample',
      'it',
      '/',
    ]);
  });
});

describe('the order of a table', () => {
  const runs: RunSummary[] = [
    { ...RUN, id: 'x', issue_id: 'D-10', status: 'completed' },
    { ...RUN, id: 'y', issue_id: 'D-9', status: 'failed' },
    { ...RUN, id: 'z', issue_id: null, usage: { ...RUN.usage, tokens: 5 } },
  ];
  it.each([
    ['issue', ['z', 'y', 'x']],
    ['-issue', ['x', 'y', 'z']],
    ['status', ['y', 'z', 'x']],
    ['-spent', ['z', 'x', 'y']],
  ])('by %s', (text, ids) => {
    expect(writeOrder(readOrder(text))).toBe(text);
    expect(inOrder(runs, readOrder(text)).map(({ id }) => id)).toEqual(ids);
  });

  it('is newest first when the address says nothing that is known', () => {
    expect([null, 'nonsense'].map((text) => writeOrder(readOrder(text)))).toEqual([
      '-created',
      '-created',
    ]);
  });
});
