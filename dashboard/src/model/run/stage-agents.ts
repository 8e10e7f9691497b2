// Who works in which stage: as the log tells it, and before that as the pipelines of Amelia are made.

import type { Section } from '@/model/stream/transcript';

/** Stages without an agent are Amelia's own: they run commands, commit and decide the next stage. */
const USUAL: Record<string, string> = {
  plan: 'architect',
  approve: 'human',
  develop: 'developer',
  review: 'reviewer',
  evaluate: 'evaluator',
};

/** The agent of each stage of a pipeline. */
export function stageAgents(
  nodes: readonly string[],
  sections: readonly Section[],
): Map<string, string> {
  const seen = new Map<string, string>();
  for (const section of sections) {
    const [first] = section.kind === 'visit' ? section.agents : [];
    if (section.kind === 'visit' && first !== undefined) seen.set(section.node, first);
  }
  return new Map(
    nodes.flatMap((node) => {
      // A lane's node is `develop 2`.
      const agent = USUAL[node.replace(/ \d+$/, '')] ?? seen.get(node);
      return agent === undefined ? [] : [[node, agent] as const];
    }),
  );
}
