import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DisconnectedStrip } from './disconnected-strip';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a page without its server', () => {
  it('says after some seconds how to start one', () => {
    render(<DisconnectedStrip seq={7} />);
    expect(screen.getByRole('status').textContent).not.toContain('amelia dashboard');
    act(() => void vi.advanceTimersByTime(8_000));
    expect(screen.getByRole('status').textContent).toContain('amelia dashboard');
  });
});
