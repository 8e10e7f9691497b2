import { Search } from 'lucide-react';
import { confirmPalette, setPaletteOpen, setPaletteText, usePalette } from '@/lib/commands';

/** Stands where the palette will be until that is loaded, and takes what is typed meanwhile. */
export function PaletteLoading() {
  const text = usePalette((state) => state.text);
  return (
    <div
      // Keys that are pressed before it is loaded are not for the page behind it.
      data-modal
      className="fixed top-[12vh] left-1/2 z-50 flex w-[calc(100vw-1.5rem)] max-w-130 -translate-x-1/2 items-center gap-2.5 rounded-xl border border-line bg-raised px-4 shadow-high"
    >
      <Search aria-hidden className="size-4 shrink-0 text-subtle" />
      <input
        // biome-ignore lint/a11y/noAutofocus: it was opened to type into it.
        autoFocus
        aria-label="Search or run a command"
        aria-busy
        value={text}
        onChange={(event) => setPaletteText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setPaletteOpen(false);
          if (event.key === 'Enter' && text !== '') confirmPalette();
          if (event.key === 'Tab') event.preventDefault();
        }}
        placeholder="Search or run a command"
        className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-subtle"
      />
    </div>
  );
}
