import { describe, expect, it } from 'vitest';
import type { PullRequestDetail } from '@/wire/PullRequestDetail';
import { words } from './pull-request-status';

const base: PullRequestDetail = {
  number: 7,
  url: 'https://example.org/7',
  title: 'Add it',
  status: 'open',
  base: 'main',
  has_conflicts: null,
  checks: [],
  reviews: [],
  merge_commit: null,
};
const check = (outcome: string) => ({ name: 'ci', outcome, url: null });

describe('a pull request in words', () => {
  it('says its state, checks and reviews', () => {
    expect(words(base)).toBe('is open');
    expect(words({ ...base, status: 'draft', checks: [check('running')] })).toBe(
      'is a draft, 1 check running',
    );
    expect(
      words({
        ...base,
        has_conflicts: true,
        checks: [check('failed'), check('passed')],
        reviews: [{ author: 'ann', verdict: 'changes_requested' }],
      }),
    ).toBe('is open, has conflicts, 1 check failed, changes requested');
    expect(
      words({
        ...base,
        status: 'merged',
        has_conflicts: true,
        checks: [check('passed')],
        reviews: [{ author: 'ann', verdict: 'approved' }],
      }),
    ).toBe('is merged, all checks passed, 1 approval');
  });
});
