// The order of runs in a table.

import type { RunSummary } from '@/wire/RunSummary';
import { toneOf } from './board';

export const SORTS = [
  'status',
  'issue',
  'title',
  'profile',
  'spent',
  'updated',
  'created',
] as const;
export type SortBy = (typeof SORTS)[number];
export type SortOrder = { by: SortBy; descending: boolean };

/** As it stands in an address: `-updated` is newest first. */
export function readOrder(text: string | null): SortOrder {
  const descending = text?.startsWith('-') ?? false;
  const by = SORTS.find((one) => one === text?.replace(/^-/, ''));
  return by ? { by, descending } : { by: 'created', descending: true };
}

export const writeOrder = ({ by, descending }: SortOrder) => `${descending ? '-' : ''}${by}`;

const URGENCY = ['needs-you', 'failed', 'running', 'paused', 'queued', 'done', 'cancelled'];

export function inOrder(runs: readonly RunSummary[], { by, descending }: SortOrder): RunSummary[] {
  const sign = descending ? -1 : 1;
  return [...runs].sort((a, b) => {
    const [left, right] = [keyOf(a, by), keyOf(b, by)];
    const compared =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : String(left).localeCompare(String(right), 'en', { numeric: true });
    return compared * sign || b.created_at.localeCompare(a.created_at);
  });
}

function keyOf(run: RunSummary, by: SortBy): string | number {
  switch (by) {
    case 'status':
      return URGENCY.indexOf(toneOf(run));
    case 'issue':
      return run.issue_id ?? '';
    case 'title':
      return run.title.toLowerCase();
    case 'profile':
      return run.profile ?? '';
    case 'spent':
      // Money first; where the price is unknown, tokens tell more from less.
      return run.usage.cost_usd ? run.usage.cost_usd : run.usage.tokens / 1e9;
    case 'updated':
      return run.updated_at ?? run.created_at;
    case 'created':
      return run.created_at;
  }
}
