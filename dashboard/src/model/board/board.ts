// Where a run stands on the board, and which runs a filter lets through.

import type { RunSummary } from '@/wire/RunSummary';
import type { Status } from '@/wire/Status';

export const COLUMNS = [
  { id: 'queued', name: 'Queued' },
  { id: 'planning', name: 'Planning' },
  { id: 'approve', name: 'Approve plan' },
  { id: 'building', name: 'Building' },
  { id: 'reviewing', name: 'Reviewing' },
  { id: 'done', name: 'Completed' },
  { id: 'stopped', name: 'Failed or stopped' },
] as const;

export type ColumnId = (typeof COLUMNS)[number]['id'];
type Working = Exclude<ColumnId, 'queued' | 'done' | 'stopped'>;

/** Nodes of the implementation, review and single graphs. */
const STAGES: Record<string, Working> = {
  start: 'planning',
  plan: 'planning',
  validate: 'planning',
  approve: 'approve',
  divide: 'building',
  develop: 'building',
  check: 'building',
  commit: 'building',
  merge: 'building',
  tidy: 'building',
  finish: 'building',
  work: 'building',
  review: 'reviewing',
  evaluate: 'reviewing',
};

/** The first of these that one of its nodes is in. */
const ORDER: Working[] = ['approve', 'planning', 'building', 'reviewing'];

export function columnOf(run: RunSummary): ColumnId {
  if (run.status === 'pending') return 'queued';
  if (run.status === 'completed') return 'done';
  if (run.status === 'failed' || run.status === 'cancelled') return 'stopped';
  // A lane's node is `develop 2`.
  const at = run.stages.map((node) => STAGES[node.replace(/ \d+$/, '')] ?? 'building');
  return ORDER.find((stage) => at.includes(stage)) ?? between(run);
}

/** No node is entered: it is between two, or was stopped there. */
function between(run: RunSummary): Working {
  if (run.pipeline === 'review') return 'reviewing';
  return run.pipeline === 'implementation' && run.task === null ? 'planning' : 'building';
}

/** Every column, with its runs as they came. */
export function boardOf(
  runs: readonly RunSummary[],
): { id: ColumnId; name: string; runs: RunSummary[] }[] {
  return COLUMNS.map((column) => ({
    ...column,
    runs: runs.filter((run) => columnOf(run) === column.id),
  }));
}

/** The word for a status on every screen, and the name of its colour. */
export type Tone = 'queued' | 'running' | 'needs-you' | 'paused' | 'done' | 'failed' | 'cancelled';

export function toneOf(run: RunSummary): Tone {
  switch (run.status) {
    case 'pending':
      return 'queued';
    case 'running':
      return run.why?.waiting_for === 'resume' ? 'paused' : 'running';
    case 'awaiting_approval':
      return 'needs-you';
    case 'paused':
      return run.why?.waiting_for === 'pause' ? 'paused' : 'needs-you';
    case 'completed':
      return 'done';
    case 'failed':
      return run.why?.waiting_for === 'key' ? 'needs-you' : 'failed';
    case 'cancelled':
      return 'cancelled';
  }
}

export const ARCHIVED = 'archived';

/** What a person filters by, and what the server calls it. */
export const STATUSES: { value: string; label: string; statuses: Status[] }[] = [
  { value: 'running', label: 'Running', statuses: ['running'] },
  { value: 'waiting', label: 'Needs you', statuses: ['awaiting_approval', 'paused'] },
  { value: 'queued', label: 'Queued', statuses: ['pending'] },
  { value: 'done', label: 'Completed', statuses: ['completed'] },
  { value: 'failed', label: 'Failed', statuses: ['failed'] },
  { value: 'cancelled', label: 'Cancelled', statuses: ['cancelled'] },
  { value: ARCHIVED, label: 'Archived', statuses: ['completed', 'failed', 'cancelled'] },
];

/** Archived runs are shown when they are asked for, and then alone. */
export const wantsArchived = (filter: Filter) => filter.status === ARCHIVED;

export type Filter = { status: string; profile: string; repository: string; text: string };

export const statusesOf = (value: string): Status[] =>
  STATUSES.find((one) => one.value === value)?.statuses ?? [];

export const isFiltering = (filter: Filter) => Object.values(filter).some((value) => value !== '');

export function fits(run: RunSummary, filter: Filter): boolean {
  if (run.is_archived !== wantsArchived(filter)) return false;
  const statuses = statusesOf(filter.status);
  if (statuses.length > 0 && !statuses.includes(run.status)) return false;
  if (filter.profile && run.profile !== filter.profile) return false;
  if (filter.repository && run.worktree_path !== filter.repository) return false;
  const wanted = filter.text.trim().toLowerCase();
  if (wanted === '') return true;
  return [run.title, run.id, run.issue_id, run.branch].some((text) =>
    text?.toLowerCase().includes(wanted),
  );
}

/** Each run once, as it was said last, newest first. */
export function merged(...lists: readonly (readonly RunSummary[])[]): RunSummary[] {
  const byId = new Map<string, RunSummary>();
  for (const run of lists.flat()) {
    const known = byId.get(run.id);
    if (!known || (run.updated_at ?? '') > (known.updated_at ?? '')) byId.set(run.id, run);
  }
  return [...byId.values()].sort((a, b) => b.created_at.localeCompare(a.created_at));
}

/** The last part of a path: what people call a repository. */
export const nameOfPath = (path: string) => path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
