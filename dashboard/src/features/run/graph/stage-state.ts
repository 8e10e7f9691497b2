import type { RunState } from '@/model/run/run-state';
import type { StatusToken } from '@/ui/tones';

export type StageState = {
  visits: number;
  /** How it is drawn; nothing for a stage that was not visited. */
  tone: StatusToken | 'visited' | null;
  isLive: boolean;
  hasBreakpoint: boolean;
};

export function stageState(
  node: string,
  runState: RunState,
  breakpoints: readonly string[],
): StageState {
  const visits = runState.visits.get(node) ?? 0;
  const isActive = runState.nodes.includes(node);
  return {
    visits,
    tone: isActive ? runState.tone : visits > 0 ? 'visited' : null,
    isLive: isActive && runState.tone === 'running',
    hasBreakpoint: breakpoints.includes(node),
  };
}

/** For screen readers and titles. */
export function stageWords(node: string, state: StageState): string {
  const parts = [node];
  if (state.isLive) parts.push('running');
  else if (state.tone === 'needs-you') parts.push('needs you');
  else if (state.tone !== null && state.tone !== 'visited') parts.push(state.tone);
  parts.push(state.visits === 0 ? 'not visited' : `visited ${state.visits}×`);
  if (state.hasBreakpoint) parts.push('breakpoint');
  return parts.join(', ');
}
