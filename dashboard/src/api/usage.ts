// What was spent, over all runs.

import { useQuery } from '@tanstack/react-query';
import type { Usage } from '@/wire/Usage';
import { get, pathWith } from './http';
import { keys } from './keys';

export type UsageFilter = { since?: string; until?: string };

export function useUsage(filter: UsageFilter) {
  return useQuery({
    queryKey: keys.usage(filter),
    queryFn: ({ signal }) => get<Usage>('/usage', filter, signal),
  });
}

/** Where a browser downloads it for a spreadsheet. */
export const usageCsvPath = (filter: UsageFilter) =>
  pathWith('/usage', { ...filter, format: 'csv' });
