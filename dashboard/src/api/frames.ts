// Calls back once per animation frame, however often it is told; in a tab that nobody sees, a few times a second.

const HIDDEN_EVERY = 250;

export function perFrame(run: () => void): () => void {
  let isDue = false;
  const now = () => {
    isDue = false;
    run();
  };
  return () => {
    if (isDue) return;
    isDue = true;
    if (document.visibilityState === 'visible') requestAnimationFrame(now);
    else setTimeout(now, HIDDEN_EVERY);
  };
}
