import type { AgentState } from '@/model/team/agent-activity';
import type { StatusToken } from '@/ui/tones';

export const STATE_TONES: Record<AgentState, StatusToken | null> = {
  idle: null,
  working: 'running',
  waiting: 'needs-you',
  done: 'done',
  failed: 'failed',
};

export const STATE_WORDS: Record<AgentState, string> = {
  idle: 'idle',
  working: 'working',
  waiting: 'waiting for you',
  done: 'turn ended',
  failed: 'failed',
};
