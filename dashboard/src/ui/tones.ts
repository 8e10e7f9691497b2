// Names of tokens to classes. Whole class names, because Tailwind finds them by reading the source.

export const statuses = [
  'queued',
  'running',
  'needs-you',
  'paused',
  'done',
  'failed',
  'cancelled',
] as const;
export type StatusToken = (typeof statuses)[number];

type Tone = { text: string; soft: string; fill: string; stroke: string };

export const statusTones: Record<StatusToken, Tone> = {
  queued: tone('text-queued', 'bg-queued-soft', 'bg-queued', 'stroke-queued'),
  running: tone('text-running', 'bg-running-soft', 'bg-running', 'stroke-running'),
  'needs-you': tone(
    'text-needs-you',
    'bg-needs-you-soft',
    'bg-needs-you-fill',
    'stroke-needs-you-fill',
  ),
  paused: tone('text-paused', 'bg-paused-soft', 'bg-paused', 'stroke-paused'),
  done: tone('text-done', 'bg-done-soft', 'bg-done', 'stroke-done'),
  failed: tone('text-failed', 'bg-failed-soft', 'bg-failed', 'stroke-failed'),
  cancelled: tone('text-cancelled', 'bg-cancelled-soft', 'bg-cancelled', 'stroke-cancelled'),
};

export const agents = [
  'architect',
  'developer',
  'reviewer',
  'evaluator',
  'oracle',
  'human',
  'system',
] as const;
export type AgentToken = (typeof agents)[number];

export const agentTones: Record<AgentToken, Tone> = {
  architect: tone('text-architect', 'bg-architect/13', 'bg-architect', 'stroke-architect'),
  developer: tone('text-developer', 'bg-developer/13', 'bg-developer', 'stroke-developer'),
  reviewer: tone('text-reviewer', 'bg-reviewer/13', 'bg-reviewer', 'stroke-reviewer'),
  evaluator: tone('text-evaluator', 'bg-evaluator/13', 'bg-evaluator', 'stroke-evaluator'),
  oracle: tone('text-oracle', 'bg-oracle/13', 'bg-oracle', 'stroke-oracle'),
  human: tone('text-human', 'bg-human/13', 'bg-human', 'stroke-human'),
  system: tone('text-system', 'bg-system/13', 'bg-system', 'stroke-system'),
};

function tone(text: string, soft: string, fill: string, stroke: string): Tone {
  return { text, soft, fill, stroke };
}
