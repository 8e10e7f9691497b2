import { lazy, Suspense, useMemo } from 'react';
import { readPipeline } from '@/model/run/pipeline';
import { type DefinitionKind, isOfFile, workerOf } from '@/model/workflows/definition';
import { Card } from '@/ui/card';
import { layOut } from '@/ui/graph-layout';
import { Skeleton } from '@/ui/skeleton';
import type { JsonValue } from '@/wire/serde_json/JsonValue';
import { NodeChip } from './node-chip';

const FlowGraph = lazy(() => import('@/ui/flow-graph'));

type DefinitionGraphProps = {
  kind: DefinitionKind;
  graph: JsonValue;
  definition: JsonValue | null;
};

/** Nodes and edges of a workflow or a team, and when a choice goes which way. */
export function DefinitionGraph({ kind, graph, definition }: DefinitionGraphProps) {
  const text = JSON.stringify(graph);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same graph comes again with every answer.
  const pipeline = useMemo(() => readPipeline(graph), [text]);
  const height = useMemo(() => layOut(pipeline).box.height + 40, [pipeline]);
  const choices = pipeline.choices.filter((choice) => isOfFile(kind, choice));
  return (
    <Card flush title="Graph" className="min-w-0">
      <section aria-label="Graph" style={{ height: Math.min(Math.max(height, 140), 620) }}>
        <Suspense fallback={<Skeleton className="m-4 h-32" />}>
          <FlowGraph
            key={text}
            graph={pipeline}
            node={(id) => (
              <NodeChip
                name={id}
                kind={pipeline.kinds.get(id) ?? ''}
                worker={workerOf(definition, id)}
              />
            )}
          />
        </Suspense>
      </section>
      {choices.length > 0 && (
        <ul aria-label="Conditions" className="border-t border-line px-4 py-2.5 text-xs text-muted">
          {choices.map(({ from, to, label }) => (
            <li key={`${from} ${to} ${label}`} className="wrap-anywhere">
              <span className="text-fg">{from}</span> → <span className="text-fg">{to}</span>:{' '}
              <code>{label}</code>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
