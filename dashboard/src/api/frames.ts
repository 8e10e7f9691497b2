// Calls back once per animation frame, however often it is notified, and never twice within two frames: no one reads faster, and
// the machine that draws may be the one that works. In a hidden tab, a few times a second.

const HIDDEN_EVERY = 250;
/** While a flood comes, drawing every frame would only hold it up. */
const FLOODED_EVERY = 150;
/** Less than two frames of 60 Hz, so that the second one is taken. */
const MIN_INTERVAL_MS = 30;

/** `true`: much has come at once, and more will. */
export function perFrame(run: () => void): (isFlood?: boolean) => void {
  let isDue = false;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const now = (time: number) => {
    if (time - drawnAt < MIN_INTERVAL_MS) {
      requestAnimationFrame(now);
      return;
    }
    isDue = false;
    drawnAt = time;
    run();
  };
  const later = (ms: number) => setTimeout(() => now(performance.now()), ms);
  return (isFlood = false) => {
    if (isDue) return;
    isDue = true;
    if (document.visibilityState !== 'visible') later(HIDDEN_EVERY);
    else if (isFlood) later(FLOODED_EVERY);
    else requestAnimationFrame(now);
  };
}

/** The first word at once, then the last one of every so many milliseconds. */
export function atMostEvery(ms: number, run: () => void): { tell: () => void; stop: () => void } {
  let notifiedAt = Number.NEGATIVE_INFINITY;
  let timer: number | undefined;
  const now = () => {
    timer = undefined;
    notifiedAt = performance.now();
    run();
  };
  return {
    tell: () => {
      if (timer !== undefined) return;
      const rest = notifiedAt + ms - performance.now();
      if (rest <= 0) now();
      else timer = window.setTimeout(now, rest);
    },
    stop: () => clearTimeout(timer),
  };
}
