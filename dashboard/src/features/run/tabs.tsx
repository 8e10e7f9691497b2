import { type ComponentType, lazy } from 'react';
import { LoadFailure } from './load-failure';
import type { TabProps } from './tab';

const load = (from: () => Promise<{ default: ComponentType<TabProps> }>) =>
  lazy(() => from().catch(() => ({ default: LoadFailure })));

/** The tabs of the run page, in their order. Each is its own chunk. */
export const tabs = {
  plan: { label: 'Plan', view: load(() => import('./plan/plan-tab')) },
  diff: { label: 'Diff', view: load(() => import('./diff/diff-tab')) },
  checks: { label: 'Checks', view: load(() => import('./checks/checks-tab')) },
  review: { label: 'Review', view: load(() => import('./review/review-tab')) },
  artifacts: { label: 'Artifacts', view: load(() => import('./artifacts/artifacts-tab')) },
  cost: { label: 'Cost', view: load(() => import('./cost/cost-tab')) },
  events: { label: 'Events', view: load(() => import('./events/events-tab')) },
  trace: { label: 'Trace', view: load(() => import('./trace/trace-tab')) },
};

export type TabName = keyof typeof tabs;

export const tabNames: TabName[] = [
  'plan',
  'diff',
  'checks',
  'review',
  'artifacts',
  'cost',
  'events',
  'trace',
];

export const isTabName = (name: string | null): name is TabName =>
  tabNames.some((one) => one === name);
