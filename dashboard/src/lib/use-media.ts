import { useCallback, useSyncExternalStore } from 'react';

/** Asking anew at every render costs more than the answer. */
const known = new Map<string, MediaQueryList>();

function mediaOf(query: string): MediaQueryList {
  let media = known.get(query);
  if (!media) {
    media = window.matchMedia(query);
    known.set(query, media);
  }
  return media;
}

/** Whether the screen is so: `useMedia('(min-width: 1280px)')`. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (tell: () => void) => {
      const media = mediaOf(query);
      media.addEventListener('change', tell);
      return () => media.removeEventListener('change', tell);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => mediaOf(query).matches);
}
