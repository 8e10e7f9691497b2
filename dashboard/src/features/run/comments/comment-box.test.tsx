import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useToasts } from '@/lib/toast';
import { Toaster } from '@/ui/toaster';
import { CommentBox } from './comment-box';
import { startComment, useReview } from './store';

function Box() {
  const { draft } = useReview('plan.run');
  return draft && <CommentBox review="plan.run" draft={draft} />;
}

it('a comment that was dropped can be written on', () => {
  useToasts.setState({ toasts: [] });
  startComment('plan.run', {
    kind: 'plan',
    revision: 1,
    section: 'Goal',
    start: 1,
    end: 2,
    quote: '',
  });
  render(
    <>
      <Box />
      <Toaster />
    </>,
  );
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'Half a thought' } });
  fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Escape' });
  expect(screen.queryByRole('textbox')).toBeNull();
  fireEvent.click(screen.getByText('Undo'));
  expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('Half a thought');
});
