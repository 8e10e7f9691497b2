import { type ComponentType, lazy } from 'react';
import { LoadFailure } from './load-failure';
import type { TabProps } from './tab';

const load = (from: () => Promise<{ default: ComponentType<TabProps> }>) =>
  lazy(() => from().catch(() => ({ default: LoadFailure })));

/** The tabs of the run page, in their order. Each is its own chunk. */
export const tabs = {
  team: { label: 'Team', view: load(() => import('./team/team-tab')) },
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

const SHARED: TabName[] = ['artifacts', 'cost', 'events', 'trace'];
const OF_PIPELINE: TabName[] = ['plan', 'diff', 'checks', 'review', ...SHARED];
const OF_TEAM: TabName[] = ['team', 'diff', ...SHARED];

/** The tabs of a run: a team has no plan of the Architect, and no rounds of review. */
export const tabsOf = (isTeam: boolean) => (isTeam ? OF_TEAM : OF_PIPELINE);
