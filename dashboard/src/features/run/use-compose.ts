import { useEffect, useState } from 'react';
import { useSearch } from './use-search';

/** Puts the focus into the field for messages to the agents. A past moment does not have it, and on a phone it is in a tab:
 * then the page goes to it first, so that what is typed next is not heard as keys. */
export function useCompose(
  fieldId: string,
  seek: (at: null) => void,
  isNarrow: boolean,
): () => void {
  const [isWanted, setWanted] = useState(false);
  const [, put] = useSearch();
  // After each drawing while it is wanted: it may come with any of them.
  useEffect(() => {
    if (isWanted && focus(fieldId)) setWanted(false);
  });
  return () => {
    if (focus(fieldId)) return;
    setWanted(true);
    seek(null);
    if (isNarrow) put({ tab: '' });
  };
}

function focus(id: string): boolean {
  const field = document.getElementById(id);
  field?.focus();
  return field !== null;
}
