import { lazy, Suspense, useMemo } from 'react';
import type { TeamLevel } from '@/model/team/roster';
import { edgeKey, teamGraph } from '@/model/team/team-graph';
import type { TeamView } from '@/model/team/team-view';
import { layOut } from '@/ui/graph-layout';
import { Skeleton } from '@/ui/skeleton';
import { AgentChip } from './agent-chip';

const FlowGraph = lazy(() =>
  // A server that has just gone must not take the page along.
  import('@/ui/flow-graph').catch(() => ({ default: NoPicture })),
);

function NoPicture() {
  return <p className="p-4 text-xs text-muted">The graph could not be loaded.</p>;
}

type LevelGraphProps = { level: TeamLevel; view: TeamView };

/** The agents of one team and the ways between them. */
export function LevelGraph({ level, view }: LevelGraphProps) {
  const graph = teamGraph(level, view);
  const shape = JSON.stringify([graph.nodes, graph.edges]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same shape comes again with every event.
  const drawn = useMemo(() => graph, [shape]);
  const height = useMemo(() => layOut(drawn).box.height + 40, [drawn]);
  const roles = new Map(level.members.map(({ name, role }) => [name, role]));
  const outer = level.path.replace(/\/$/, '');
  return (
    <div className="border-t border-line first:border-t-0">
      {outer !== '' && (
        <p className="px-4 pt-2.5 text-xs text-muted">
          Inside <span className="font-medium text-fg">{outer}</span>
        </p>
      )}
      <section
        aria-label={outer === '' ? 'Agents as a graph' : `Agents of ${outer} as a graph`}
        style={{ height: Math.min(Math.max(height, 120), 480) }}
      >
        <Suspense fallback={<Skeleton className="m-4 h-24" />}>
          <FlowGraph
            key={shape}
            graph={drawn}
            taken={(from, to) => graph.taken.get(edgeKey({ from, to })) ?? 0}
            node={(name) => (
              <AgentChip
                name={name}
                label={name.slice(level.path.length)}
                role={roles.get(name) ?? ''}
                standing={view.standing(name)}
              />
            )}
          />
        </Suspense>
      </section>
    </div>
  );
}
