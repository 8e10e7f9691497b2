// Who works in which stage: as the log tells it, and before that as the pipelines of Amelia are made.

import type { Pipeline } from '@/model/run/pipeline';
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
  { nodes, kinds }: Pipeline,
  sections: readonly Section[],
): Map<string, string> {
  const seen = new Map<string, string>();
  for (const section of sections) {
    const [first] = section.kind === 'visit' ? section.agents : [];
    if (section.kind === 'visit' && first !== undefined) seen.set(section.node, first);
  }
  return new Map(
    nodes.flatMap((node) => {
      // A lane's node is `develop 2`. In a graph from a file, names mean nothing.
      const usual = kinds.size === 0 ? USUAL[node.replace(/ \d+$/, '')] : undefined;
      const kind = kinds.get(node);
      // A tool is called by Amelia itself.
      if (kind === 'tool') return [];
      const agent = kind === 'human' ? 'human' : (usual ?? seen.get(node));
      return agent === undefined ? [] : [[node, agent] as const];
    }),
  );
}
