// Where the eye goes, the keyboard goes, too.

export function findCard(root: HTMLElement | null, path: string): HTMLElement | undefined {
  const all = root?.querySelectorAll<HTMLElement>('[data-file]') ?? [];
  return [...all].find((one) => one.dataset.file === path);
}

/** Scrolls to a file or a hunk, and puts the focus there. */
export function reveal(target: HTMLElement): void {
  target.scrollIntoView({ block: 'start' });
  const inside = target.querySelector<HTMLElement>('[data-file-header]');
  const line = target.closest('tbody')?.nextElementSibling;
  const found = inside ?? line?.querySelector<HTMLElement>('[data-line]') ?? target;
  found.focus({ preventScroll: true });
}

/** The same for a line (`new-12`), as soon as its file is drawn. */
export function revealLine(card: HTMLElement, line: string, tries = 30): void {
  const found = [...card.querySelectorAll<HTMLElement>('[data-line]')].find(
    (one) => one.dataset.line === line,
  );
  if (found) {
    found.scrollIntoView({ block: 'center' });
    found.focus({ preventScroll: true });
  } else if (tries > 0) requestAnimationFrame(() => revealLine(card, line, tries - 1));
}
