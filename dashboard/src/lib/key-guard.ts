// Keys are meant for what was under them a moment ago. When that changes by itself, they wait. Knows no React.

/** How long keys wait after what they act on has changed. */
export const KEY_SAFETY_MS = 500;

export class KeyGuard {
  private since = Number.NEGATIVE_INFINITY;

  /** What the keys act on has changed: the next ones may have been meant for what was there before. */
  readonly arm = (): void => {
    this.since = performance.now();
  };

  /** The user chose what the keys act on: they may act at once. */
  readonly disarm = (): void => {
    this.since = Number.NEGATIVE_INFINITY;
  };

  /** Whether a key may act now. One that comes too early starts the wait again: its user is still typing elsewhere. */
  readonly allows = (): boolean => {
    if (performance.now() - this.since > KEY_SAFETY_MS) return true;
    this.arm();
    return false;
  };
}
