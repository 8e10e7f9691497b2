// Calls back once per animation frame, however often it is told; in a tab that nobody sees, a few times a second.

const HIDDEN_EVERY = 250;
/** While a flood comes, drawing every frame would only hold it up. */
const FLOODED_EVERY = 150;

/** `true`: much has come at once, and more will. */
export function perFrame(run: () => void): (isFlood?: boolean) => void {
  let isDue = false;
  const now = () => {
    isDue = false;
    run();
  };
  return (isFlood = false) => {
    if (isDue) return;
    isDue = true;
    if (document.visibilityState !== 'visible') setTimeout(now, HIDDEN_EVERY);
    else if (isFlood) setTimeout(now, FLOODED_EVERY);
    else requestAnimationFrame(now);
  };
}
