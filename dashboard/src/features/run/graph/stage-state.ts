import type { RunState } from '@/model/run/run-state';
import type { StageOutcome } from '@/model/run/stage-outcome';
import type { StatusToken } from '@/ui/tones';

export type StageState = {
  visits: number;
  /** Its colour: of the run while it is entered, else of its last visit. Nothing for a stage that was not visited. */
  tone: StatusToken | null;
  isActive: boolean;
  isLive: boolean;
  hasBreakpoint: boolean;
  /** Who works there; `null` where Amelia itself does. */
  agent: string | null;
  words: string;
};

type Stages = {
  runState: RunState;
  outcomes: ReadonlyMap<string, StageOutcome>;
  agents: ReadonlyMap<string, string>;
  breakpoints: readonly string[];
};

const TONES: Record<StageOutcome, StatusToken> = {
  good: 'done',
  back: 'needs-you',
  bad: 'failed',
  stopped: 'cancelled',
};
const OUTCOME_WORDS: Record<StageOutcome, string> = {
  good: 'passed',
  back: 'sent the work back',
  bad: 'failed',
  stopped: 'stopped',
};

export function stageState(node: string, stages: Stages): StageState {
  const { runState, outcomes, agents, breakpoints } = stages;
  const visits = runState.visits.get(node) ?? 0;
  const isActive = runState.nodes.includes(node);
  const isLive = isActive && runState.tone === 'running';
  const hasBreakpoint = breakpoints.includes(node);
  const outcome = outcomes.get(node) ?? 'good';
  const tone = isActive ? runState.tone : visits > 0 ? TONES[outcome] : null;
  const stands = isActive ? runState.word.toLowerCase() : visits > 0 ? OUTCOME_WORDS[outcome] : '';
  const words = [
    node,
    stands,
    visits === 0 ? 'not visited' : `visited ${visits}×`,
    hasBreakpoint ? 'breakpoint' : '',
  ];
  return {
    visits,
    tone,
    isActive,
    isLive,
    hasBreakpoint,
    agent: agents.get(node) ?? null,
    words: words.filter((word) => word !== '').join(', '),
  };
}
