import { beforeEach, describe, expect, it, vi } from 'vitest';
import { KEY_SAFETY_MS, KeyGuard } from '@/lib/key-guard';

let now = 0;
beforeEach(() => {
  now = 10_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});

describe('a guard of keys', () => {
  it('lets keys act until what they act on changes, and again half a second later', () => {
    const guard = new KeyGuard();
    expect(guard.allows()).toBe(true);
    guard.arm();
    expect(guard.allows()).toBe(false);
    now += KEY_SAFETY_MS + 1;
    expect(guard.allows()).toBe(true);
  });

  it('waits until typing has stopped', () => {
    const guard = new KeyGuard();
    guard.arm();
    for (let key = 0; key < 10; key += 1) {
      now += 200;
      expect(guard.allows()).toBe(false);
    }
    now += KEY_SAFETY_MS + 1;
    expect(guard.allows()).toBe(true);
  });

  it('does not wait for what the user chose', () => {
    const guard = new KeyGuard();
    guard.arm();
    guard.disarm();
    expect(guard.allows()).toBe(true);
  });
});
