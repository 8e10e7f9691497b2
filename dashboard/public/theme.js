// Sets the theme before the first paint. Loaded blocking, so it stays this small; `src/lib/theme.ts`
// takes over afterwards and uses the same key.
(() => {
  let choice = 'system';
  try {
    choice = JSON.parse(localStorage.getItem('amelia.theme')) ?? 'system';
  } catch {
    // Storage is closed or holds something else: follow the system.
  }
  const dark =
    choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
