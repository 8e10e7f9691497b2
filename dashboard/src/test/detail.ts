// A run as the server tells it, for tests.

import type { Pending } from '@/wire/Pending';
import type { RunDetail } from '@/wire/RunDetail';

export function detailOf(more: Partial<RunDetail> = {}): RunDetail {
  return {
    id: 'run',
    workflow_id: 'run',
    short_id: 'r1',
    title: 'A run',
    description: '',
    pipeline: 'implementation',
    profile: null,
    issue_id: null,
    sequence: 1,
    queued_at: '2026-11-15T12:00:00Z',
    updated_at: null,
    active_ms: 5,
    why: null,
    pending_requests: [],
    usage: { tokens: 7, cost_usd: 0.5, calls: 1, unpriced_calls: 0, estimated_calls: 0 },
    usage_by_agent: {},
    budget: { usd: 2, tokens: null, calls: null, wall_seconds: null },
    worktree_path: null,
    worktree: null,
    branch: null,
    base_commit: null,
    base_branch: null,
    in_place: false,
    review_round: 0,
    current_task: null,
    stages: { plan: { visits: 2, active: true } },
    forked_from: null,
    breakpoints: [],
    stops: [],
    state: {},
    pipeline_state: {},
    token_usage: [],
    outcome: null,
    is_archived: false,
    estimate: null,
    status: 'running',
    assigned_agent: '',
    result: null,
    error: null,
    created_at: '2026-11-15T12:00:00Z',
    started_at: null,
    completed_at: null,
    retention_days: null,
    parent_task_id: null,
    ...more,
  };
}

/** A question of that run. */
export function pendingOf(more: Partial<Pending> = {}): Pending {
  return {
    request_id: 'ask',
    workflow_id: 'run',
    short_id: 'r1',
    title: 'A run',
    kind: 'rounds',
    agent: 'system',
    prompt: 'go on?',
    context: null,
    can_accept: false,
    about_checks: false,
    can_allow_always: true,
    requested_at: '2026-11-15T10:00:00Z',
    deadline: null,
    on_timeout: 'reject',
    mode: null,
    ...more,
  };
}
