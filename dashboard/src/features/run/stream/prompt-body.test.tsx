import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { PromptBody } from './prompt-body';

it('shows what is passed on as it is, below where it is from', () => {
  const diff = 'diff --git a/n b/n\n+1';
  const { container } = render(
    <PromptBody text={`Review:\n<untrusted source="diff">\n${diff}\n</untrusted>`} />,
  );
  expect(screen.getByText('diff')).toBeTruthy();
  const lines = [...(container.querySelector('pre')?.querySelectorAll('code > span') ?? [])];
  expect(lines.map((line) => line.textContent)).toEqual(diff.split('\n'));
});
