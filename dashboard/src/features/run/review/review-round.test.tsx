import { render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import type { Round } from '@/model/run/reviews';
import { ReviewRound } from './review-round';

it('names the severity as the Reviewer does', () => {
  const round: Round = {
    seq: 4,
    at: '2026-11-15T10:00:00Z',
    round: 1,
    task: null,
    verdicts: [{ persona: '', approved: false, severity: 'low', seq: 4 }],
    findings: [],
    summary: null,
  };
  render(
    <MemoryRouter>
      <ReviewRound run="run-1" round={round} />
    </MemoryRouter>,
  );
  expect(screen.getByText(/changes requested, minor/)).toBeTruthy();
});
