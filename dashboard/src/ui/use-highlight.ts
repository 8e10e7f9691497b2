import { useEffect, useState } from 'react';

export type Token = { text: string; className: string };
export type Highlighter = (code: string, language: string) => Token[][] | null;

// Beyond this the colours would cost more than they give.
const tooLong = 200_000;
let highlighter: Highlighter | null = null;

/** The highlighter, once it has arrived; it is fetched on first use. */
export function useHighlighter(wanted: boolean): Highlighter | null {
  const [ready, setReady] = useState(highlighter !== null);
  useEffect(() => {
    if (!wanted || highlighter) return;
    let gone = false;
    import('@/ui/highlight').then(
      ({ highlightLines }) => {
        highlighter = highlightLines;
        if (!gone) setReady(true);
      },
      // The server is not there to send it: text stays plain, and the next component tries again.
      () => {},
    );
    return () => {
      gone = true;
    };
  }, [wanted]);
  return wanted && ready ? highlighter : null;
}

/** The lines of `code`: plain at once, coloured when the highlighter has arrived. */
export function useHighlight(code: string, language: string | undefined): Token[][] {
  const highlight = useHighlighter(language !== undefined && code.length <= tooLong);
  const coloured = language !== undefined && highlight ? highlight(code, language) : null;
  return coloured ?? code.split('\n').map((text) => [{ text, className: '' }]);
}
