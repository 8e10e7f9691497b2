import { hasPlan } from '@/model/plan/plan';
import type { RunDetail } from '@/wire/RunDetail';
import type { TabName } from './tabs';

type RunKind = Pick<RunDetail, 'pipeline' | 'status'>;

/** The tab that is open at first: what the run is about. */
export function usualTab(run: RunKind, at: number | null): TabName {
  if (run.pipeline === 'team') return 'team';
  // The changes were there before it, and may be gone.
  if (run.pipeline === 'review') return 'review';
  // What has come of it is of more interest than what was planned.
  const isOver = run.status === 'completed' && at === null;
  return isOver || !hasPlan(run) ? 'diff' : 'plan';
}
