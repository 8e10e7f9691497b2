/** Scrolls a row sideways until what is chosen in it is in its middle. Only the row moves, never the page around it. */
export function centre(row: Element | null | undefined, chosen: string): void {
  const child = row?.querySelector(chosen);
  if (!row || !child) return;
  const [frame, box] = [row.getBoundingClientRect(), child.getBoundingClientRect()];
  row.scrollLeft += box.left + box.width / 2 - (frame.left + frame.width / 2);
}
