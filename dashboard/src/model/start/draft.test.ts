import { describe, expect, it } from 'vitest';
import {
  budgetOf,
  type Draft,
  emptyDraft,
  isDraft,
  keptForNext,
  prefilled,
  reviewOf,
  workflowOf,
} from './draft';
import { problemsOf, problemsOfError } from './draft-problems';

const draft = (more: Partial<Draft> = {}): Draft => ({
  ...emptyDraft,
  repository: '/src',
  source: 'text',
  title: 'Fix the sum',
  ...more,
});

describe('a draft', () => {
  it('is known again, and rubbish is not', () => {
    const file = { name: 'a.md', size: 1, text: 'a' };
    expect(isDraft(structuredClone(draft({ design: file })))).toBe(true);
    expect(isDraft({ ...draft(), design: { name: 'a' } })).toBe(false);
    expect(isDraft({ ...draft(), kind: 'other' })).toBe(false);
    expect(isDraft({ ...draft(), usd: 3 })).toBe(false);
    expect(isDraft(null)).toBe(false);
  });

  it('keeps the repository and the profile for the next run', () => {
    const next = keptForNext(draft({ profile: 'crew', branch: 'x', inPlace: true }));
    expect(next).toEqual({
      ...emptyDraft,
      repository: '/src',
      profile: 'crew',
      source: 'text',
    });
  });

  it('takes what a link names', () => {
    expect(prefilled(draft(), { repository: '/other', profile: 'b' })).toMatchObject({
      repository: '/other',
      profile: 'b',
      title: 'Fix the sum',
    });
    expect(prefilled(draft(), { issue: 'A-1' })).toMatchObject({ source: 'issue', issue: 'A-1' });
    expect(prefilled(draft(), { issue: 'A-1', title: 'T' })).toMatchObject({
      source: 'text',
      issue: 'A-1',
      title: 'T',
    });
  });

  it('becomes a request', () => {
    const workflow = workflowOf(draft({ issue: ' A-1 ', minutes: '1.5', usd: '2' }), 'plan');
    expect(workflow).toMatchObject({
      worktree_path: '/src',
      issue_id: 'A-1',
      title: 'Fix the sum',
      description: null,
      queue: true,
      plan_now: true,
      budget: { usd: 2, tokens: null, calls: null, wall_seconds: 90 },
    });
    expect(workflowOf(draft({ source: 'issue' }), 'now')).toMatchObject({
      title: null,
      queue: false,
      plan_now: false,
      budget: null,
    });
  });

  it('becomes a review; a pull request is never mended', () => {
    const pull = { changes: 'pull', pull: '12', fix: true, reviewBase: 'main' } as const;
    expect(reviewOf(draft(pull))).toMatchObject({
      pull_request: 12,
      base: null,
      mode: 'review_only',
    });
    const since = { changes: 'base', reviewBase: 'main', fix: true, personas: 'A, B,' } as const;
    expect(reviewOf(draft(since))).toMatchObject({
      base: 'main',
      mode: 'review_fix',
      personas: ['A', 'B'],
    });
  });

  it('has no budget when nothing was typed', () => {
    expect(budgetOf({ usd: '', tokens: ' ', calls: '', minutes: '' })).toBeNull();
  });
});

describe('problems', () => {
  it.each([
    [draft(), []],
    [draft({ repository: null }), ['repository']],
    [draft({ title: ' ' }), ['title']],
    [draft({ source: 'issue' }), ['issue']],
    [draft({ kind: 'review', changes: 'base' }), ['reviewBase']],
    [draft({ kind: 'review', changes: 'pull', pull: '0' }), ['pull']],
    [
      draft({ usd: '-1', tokens: '1.5', calls: 'x', minutes: '0' }),
      ['usd', 'tokens', 'calls', 'minutes'],
    ],
  ])('%# are seen before the server is asked', (wrong, fields) =>
    expect(problemsOf(wrong).map((one) => one.field)).toEqual(fields),
  );

  const refusal = (message: string, problems: unknown[] = [], code = 'INVALID') => ({
    code,
    message,
    hint: null,
    details: problems.length ? { problems } : {},
  });

  it('of the server go to their fields', () => {
    const said = problemsOfError(
      refusal('', [
        { path: 'worktree_path', message: 'must be absolute' },
        { path: 'issue_id', message: 'is needed' },
        { path: 'personas[1]', message: 'is empty' },
        { path: 'budget.wall_seconds', message: 'too much' },
        { path: 'new_thing', message: 'unknown field' },
      ]),
      draft(),
    );
    expect(said.map((one) => one.field)).toEqual([
      'repository',
      'title',
      'personas',
      'minutes',
      null,
    ]);
    expect(said[4]?.message).toBe('new_thing: unknown field');
  });

  it.each([
    ['`/tmp` is not in a git repository', 'CONFLICT', 'worktree_path', 'repository'],
    ['there is no profile `x`', 'NOT_FOUND', 'profile', 'profile'],
    ['the plan cannot be used', 'INVALID', 'plan', 'plan'],
    ['there is no commit `x`', 'CONFLICT', 'base', 'base'],
  ])('alone has its hint: %s', (message, code, path, field) => {
    const refused = { ...refusal(message, [{ path, message }], code), hint: 'look' };
    expect(problemsOfError(refused, draft())).toEqual([{ field, message, hint: 'look' }]);
  });

  it('without a field belongs to none, whatever its words are', () => {
    const message = '`/tmp` is not in a git repository';
    expect(problemsOfError(refusal(message), draft())).toEqual([
      { field: null, message, hint: null },
    ]);
  });
});
