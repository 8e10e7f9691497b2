// A run as lists of runs tell it, for tests.

import type { RunSummary } from '@/wire/RunSummary';

export function summaryOf(more: Partial<RunSummary> = {}): RunSummary {
  return {
    id: 'a',
    short_id: 'r1',
    title: 'Read numbers from a file',
    status: 'running',
    pipeline: 'implementation',
    profile: 'crew',
    issue_id: 'DEMO-5',
    worktree_path: '/src/sample',
    branch: null,
    created_at: '2026-11-15T10:00:00Z',
    started_at: null,
    updated_at: '2026-11-15T10:00:00Z',
    completed_at: null,
    stages: [],
    pending_requests: 0,
    why: null,
    agents: [],
    activity: null,
    task: null,
    review_round: 0,
    usage: { tokens: 0, cost_usd: 0, calls: 0, unpriced_calls: 0, estimated_calls: 0 },
    budget: { usd: null, tokens: null, calls: null, wall_seconds: null },
    forked_from: null,
    error: null,
    merged: null,
    pull_request: null,
    is_archived: false,
    ...more,
  };
}
