import { useState } from 'react';
import { isFiltering } from '@/model/stream/rows';
import { useStreamFilter } from './use-stream-filter';

/** Whether the search of the stream is shown; one that hides rows is open at first. */
export function useFilterOpen() {
  const { filter } = useStreamFilter();
  return useState(() => isFiltering(filter));
}
