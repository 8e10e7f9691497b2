import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toast, toastWithUndo, useToasts } from '@/lib/toast';
import { Toaster } from '@/ui/toaster';

beforeEach(() => {
  vi.useFakeTimers();
  useToasts.setState({ toasts: [] });
  render(<Toaster />);
});
afterEach(() => vi.useRealTimers());

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));

describe('toasts', () => {
  it('leave by themselves, but errors stay until closed', () => {
    act(() => {
      toast({ title: 'Saved', tone: 'success' });
      toast({ title: 'Refused', tone: 'error' });
    });
    wait(60_000);
    expect(screen.queryByText('Saved')).toBeNull();
    expect(screen.getByRole('alert').textContent).toContain('Refused');
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByText('Refused')).toBeNull();
  });

  it('show a command apart from the words, to be copied', () => {
    const command = { label: 'To undo it:', text: 'git reset --keep abc' };
    act(() => void toast({ title: 'Merged', description: 'Run your tests.', command }));
    expect(screen.getByText('Run your tests.')).toBeTruthy();
    expect(screen.getByText('git reset --keep abc').tagName).toBe('CODE');
    expect(screen.getByRole('button', { name: 'Copy command' })).toBeTruthy();
  });

  it('wait while the pointer is on them, and undo once', () => {
    const undo = vi.fn();
    act(() => void toastWithUndo('Cancelled', undo));
    const card = screen.getByText('Cancelled');
    fireEvent.pointerEnter(card.closest('.pointer-events-auto') ?? card);
    wait(60_000);
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    expect(undo).toHaveBeenCalledOnce();
    expect(screen.queryByText('Cancelled')).toBeNull();
  });
});
