import { useLayoutEffect, useState } from 'react';
import { KeyGuard } from '@/lib/key-guard';

/** Whether keys may act on `target` now: not in the moment after it has appeared or changed. */
export function useKeyGuard(target: string): () => boolean {
  return useArmedGuard(target).allows;
}

/** The same, for a change that can be announced before it shows. */
export function useArmedGuard(target: string): KeyGuard {
  const [guard] = useState(() => new KeyGuard());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another target arms it again.
  useLayoutEffect(guard.arm, [guard, target]);
  return guard;
}
