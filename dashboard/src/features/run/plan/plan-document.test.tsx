import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useShortcuts } from '@/lib/keys';
import { planFeedback } from '@/model/comments/comments';
import { unsent, useReview } from '../comments/store';
import { PlanDocument } from './plan-document';

const plan =
  '# Plan\n\n### Task 1: Add\n\n- Modify: `a`\n- Test: `b`\n\n<img src=x onerror=alert(1)>\n\n[x](javascript:alert(2)) a\u202eb\n';

function Feedback() {
  return <output>{planFeedback(unsent(useReview('plan.test')), '')}</output>;
}

const props = { markdown: plan, revision: 1, review: 'plan.test' } as const;

const show = (canComment = true) =>
  render(
    <>
      <PlanDocument markdown={plan} revision={1} review="plan.test" canComment={canComment} />
      <Feedback />
    </>,
  );

beforeAll(() => import('@/ui/markdown-body'));
beforeEach(() => localStorage.clear());

describe('a plan', () => {
  it('is text, also when it looks like markup', async () => {
    const { container } = show();
    await screen.findByRole('group', { name: 'Task 1: Add (line 3)' });
    expect(container.querySelector('img, a')).toBeNull();
    expect(container.textContent).toContain('a⟨U+202E⟩b');
  });

  it('is commented by keyboard, block by block; the comment quotes it', async () => {
    show();
    const user = userEvent.setup({ delay: null });
    (await screen.findByRole('group', { name: 'Task 1: Add (line 3)' })).focus();
    await user.keyboard('{ArrowDown}c');
    await user.paste('Test more');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(screen.getByRole('status').textContent).toBe(
      'On Task 1: Add (lines 5–6):\n> - Modify: `a`\n> - Test: `b`\nTest more',
    );
  });

  it('lists its keys with the others', async () => {
    const { rerender } = render(<PlanDocument {...props} canComment />);
    const keys = () => useShortcuts.getState().shortcuts.map((one) => one.keys);
    expect(keys()).toEqual(['c', 'arrowdown', 'arrowup']);
    rerender(<PlanDocument {...props} canComment={false} />);
    expect(keys()).toEqual(['arrowdown', 'arrowup']);
  });

  it('takes no comment when nothing waits', async () => {
    show(false);
    await screen.findByRole('group', { name: 'Task 1: Add (line 3)' });
    expect(screen.queryByRole('button', { name: /Comment on/ })).toBeNull();
  });
});
