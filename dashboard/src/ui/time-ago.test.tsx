import { act, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Duration } from '@/ui/duration';
import { TimeAgo } from '@/ui/time-ago';

it('shows the age, keeps it fresh, and comes to rest in between', () => {
  vi.useFakeTimers();
  // A clock that moves at every look: the first version never stopped rendering with one.
  let now = Date.UTC(2026, 10, 15, 12);
  vi.spyOn(Date, 'now').mockImplementation(() => {
    now += 1;
    return now;
  });
  const at = now - 60_000;
  render(
    <>
      <TimeAgo at={at} /> <Duration since={at} />
    </>,
  );
  expect(screen.getByText('1m ago').getAttribute('title')).toMatch(/^15 Nov 2026, /);
  now += 60_000;
  act(() => vi.advanceTimersByTime(5_000));
  expect(screen.getByText('2m ago')).toBeTruthy();
  expect(screen.getByText('2m 00s')).toBeTruthy();
  vi.useRealTimers();
});
